set(prefix "${SCRATCH}/prefix")
set(consumer "${SCRATCH}/consumer")
file(REMOVE_RECURSE "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILT}" --prefix "${prefix}")
run(${CMAKE_COMMAND}
  -S "${CMAKE_CURRENT_LIST_DIR}/consumer"
  -B "${consumer}"
  -G "${GENERATOR}"
  "-DCAF_ROOT=${CAF_ROOT}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DCMAKE_PREFIX_PATH=${prefix}")
run(${CMAKE_COMMAND} --build "${consumer}")
run("${consumer}/consumer" 42)

# A consumer that calls every answer right would prove nothing.
execute_process(COMMAND "${consumer}/consumer" 43 RESULT_VARIABLE result)
if(NOT result EQUAL 1)
  message(FATAL_ERROR "the consumer took a wrong answer for right: ${result}")
endif()

# Headers are where they are included from, and only there.
file(GLOB stray RELATIVE "${prefix}/include" "${prefix}/include/*")
if(NOT stray STREQUAL "libpool")
  message(FATAL_ERROR "installed beside the headers: ${stray}")
endif()
