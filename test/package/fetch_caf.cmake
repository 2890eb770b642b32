# CAF is built as a part of libpool, which stays static, and other versions than the
# wanted one are refused:
#   cmake -D SOURCE=... -D COMPILER=... -D SCRATCH=... -P fetch_caf.cmake

file(REMOVE_RECURSE "${SCRATCH}")
unset(ENV{CAF_ROOT})

# The sources of a CAF 1.1.0 without content.
file(WRITE "${SCRATCH}/caf/core.cpp" "")
file(WRITE "${SCRATCH}/caf/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.13...3.25)
project(CAF VERSION 1.1.0 LANGUAGES CXX)
set(CAF_VERSION 1.1.0 CACHE INTERNAL \"\")
option(BUILD_SHARED_LIBS \"\" ON)
add_library(libcaf_core core.cpp)
add_library(CAF::core ALIAS libcaf_core)
install(TARGETS libcaf_core EXPORT CAFTargets)
install(EXPORT CAFTargets NAMESPACE CAF:: DESTINATION lib/cmake/CAF)
")

# Sets result, and text without line breaks.
function(configure version)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${SOURCE}" -B "${SCRATCH}/${version}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}"
      "-DFETCHCONTENT_SOURCE_DIR_CAF=${SCRATCH}/caf"
      "-DLIBPOOL_FETCH_CAF=${version}"
      -DLIBPOOL_TESTS=OFF
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(result "${result}" PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

configure(1.1.0)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "CAF 1.1.0 was not taken: ${text}")
endif()
file(STRINGS "${SCRATCH}/1.1.0/libpool.pc" libraries REGEX "^Libs:.* -lcaf_core ")
file(STRINGS "${SCRATCH}/1.1.0/libpoolConfig.cmake" versions REGEX "CAF 1.1...<1.2 ")
if(NOT libraries OR NOT versions)
  message(SEND_ERROR "the package does not ask for the CAF that it was built with")
endif()
execute_process(COMMAND ninja -C "${SCRATCH}/1.1.0" -t targets all
  OUTPUT_VARIABLE targets COMMAND_ERROR_IS_FATAL ANY)
if(NOT targets MATCHES "libpool_actors[.]a:" OR targets MATCHES "libpool_actors[.]so")
  message(SEND_ERROR "libpool is not static")
endif()

foreach(version 0.17.6 1.2.0 main)
  configure(${version})
  if(result EQUAL 0 OR NOT text MATCHES
      "LIBPOOL_FETCH_CAF is '${version}'.*a version 1.0 or 1.1")
    message(SEND_ERROR "CAF ${version} was not refused: ${text}")
  endif()
endforeach()
configure(1.0.2)
if(result EQUAL 0 OR NOT text MATCHES
    "LIBPOOL_FETCH_CAF is 1.0.2, but the source of CAF is 1.1.0")
  message(SEND_ERROR "the source of another CAF was not refused: ${text}")
endif()
