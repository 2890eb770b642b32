# Projects take libpool in from a checkout, and run a program with its core:
#   cmake -D SOURCE=... -D SCRATCH=... -D CAF_ROOT=... -D COMPILER=...
#     -P checkout.cmake

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(by add_subdirectory FetchContent)
  set(build "${SCRATCH}/${by}")
  run(${CMAKE_COMMAND} --fresh -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}/checkout"
    -B "${build}" "-DLIBPOOL=${SOURCE}" -DBY=${by} "-DCAF_ROOT=${CAF_ROOT}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}")
  run(${CMAKE_COMMAND} --build "${build}" --target checkout)
  run("${build}/checkout")
endforeach()
