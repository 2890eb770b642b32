include_guard(GLOBAL)

# libpool_program(<name> SOURCES <file>... [LINK <lib>...])
#
# Declares an executable that people run; it lands in bin/ of the build folder.
function(libpool_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endfunction()
