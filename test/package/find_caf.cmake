# FindCAF.cmake takes the versions of CAF that libpool is for, and refuses others
# by their names:
#   cmake -D MODULES=... -D COMPILER=... -D SCRATCH=... -P find_caf.cmake

include("${CMAKE_CURRENT_LIST_DIR}/made_up_caf.cmake")
file(REMOVE_RECURSE "${SCRATCH}")
unset(ENV{CAF_ROOT})

# Sets result, and text without line breaks.
function(find version)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -G Ninja
      -S "${CMAKE_CURRENT_LIST_DIR}/finder"
      -B "${SCRATCH}/finder_${version}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}"
      "-DMODULES=${MODULES}"
      "-DCAF_ROOT=${SCRATCH}/${version}"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(result "${result}" PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

# expect_refused(<version> <words of the message, in their order>...)
function(expect_refused version)
  find("${version}")
  list(JOIN ARGN ".*" words)
  if(result EQUAL 0 OR NOT text MATCHES "${words}")
    message(SEND_ERROR "CAF ${version} was not refused as expected: ${text}")
  endif()
endfunction()

foreach(version 0.17.5 0.17.6 1.0.0 1.0.2 1.1.0 1.1.1)
  make_up_caf("${SCRATCH}/${version}" ${version})
  find(${version})
  if(NOT text MATCHES "CAF is ${version}, its core ${SCRATCH}/${version}/")
    message(SEND_ERROR "CAF ${version} was not taken: ${text}")
  endif()
endforeach()

foreach(version 0.16.5 0.18.5 0.19.5 1.2.0 1.10.0 2.0.0)
  make_up_caf("${SCRATCH}/${version}" ${version})
  expect_refused(${version} "CAF ${version} in ${SCRATCH}/${version}/include is not supported:"
    "CAF 0.17" "1.0 and 1.1" "CAF_ROOT" "${SCRATCH}/${version}'")
endforeach()

expect_refused(missing "Could NOT find CAF" "CAF_INCLUDE_DIR" "CAF_ROOT"
  "${SCRATCH}/missing'")
