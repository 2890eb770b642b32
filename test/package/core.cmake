# Installs BUILT, which is the preset `core`, into a scratch folder, and builds and
# runs a program that has that and no CAF:
#   cmake -D BUILT=... -D SCRATCH=... -P core.cmake

file(REMOVE_RECURSE "${SCRATCH}")
foreach(command
    "--install;${BUILT};--prefix;${SCRATCH}/prefix"
    "-S;${CMAKE_CURRENT_LIST_DIR}/consumer;-B;${SCRATCH}/simulated;-DSIMULATOR=ON;-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix;-DCAF_ROOT=${SCRATCH}/nowhere"
    "--build;${SCRATCH}/simulated")
  execute_process(COMMAND ${CMAKE_COMMAND} ${command} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND "${SCRATCH}/simulated/simulated" COMMAND_ERROR_IS_FATAL ANY)
