include_guard(GLOBAL)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(LibpoolPkgConfig)

# libpool_component(<name> HEADERS <file>... [SOURCES <file>...] [LINK <lib>...])
#
# Declares libpool::<name>, installed and exported with the package. Headers are
# given as they are included ("libpool/core/errc.hpp"), sources relative to the
# calling CMakeLists.txt. Without sources the component is header-only.
#
# Archives are never optimised at link time, unless libpool is part of a project
# that decides so: whoever links them would have to do it, each time.
function(libpool_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SOURCES;LINK")
  set(target libpool_${name})
  list(TRANSFORM arg_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/")

  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} ${arg_SOURCES})
    set_property(GLOBAL APPEND PROPERTY LIBPOOL_ARCHIVES pool_${name})
    if(PROJECT_IS_TOP_LEVEL)
      set_target_properties(${target} PROPERTIES
        INTERPROCEDURAL_OPTIMIZATION OFF)
    endif()
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME pool_${name}
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
      INSTALL_RPATH $ORIGIN)
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()

  add_library(libpool::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(${target} ${scope} cxx_std_17)
  target_link_libraries(${target} ${scope} ${arg_LINK})
  target_sources(${target} ${scope} FILE_SET HEADERS
    BASE_DIRS "${PROJECT_SOURCE_DIR}"
    FILES ${arg_HEADERS})

  install(TARGETS ${target} EXPORT libpoolTargets FILE_SET HEADERS)
endfunction()

# Installs what find_package(libpool) and pkg-config read, and the licence.
# FindCAF.cmake goes with it, since the users of the package lack it as well.
function(libpool_install_package)
  set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/libpool")
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/libpoolConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/libpoolConfig.cmake"
    INSTALL_DESTINATION "${folder}"
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/libpoolConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(EXPORT libpoolTargets
    NAMESPACE libpool::
    DESTINATION "${folder}")
  install(
    FILES
      "${PROJECT_BINARY_DIR}/libpoolConfig.cmake"
      "${PROJECT_BINARY_DIR}/libpoolConfigVersion.cmake"
      "${PROJECT_SOURCE_DIR}/cmake/FindCAF.cmake"
    DESTINATION "${folder}")
  libpool_install_pkg_config()
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
