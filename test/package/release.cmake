# Nothing that the preset `lib` compiles is left to be optimised at link time:
#   cmake -D SOURCE=... -D SCRATCH=... -D CAF_ROOT=... -P release.cmake
# What it installs is looked at by package.cmake, in `./dev check`.

execute_process(
  COMMAND ${CMAKE_COMMAND} --preset lib --fresh -B "${SCRATCH}" "-DCAF_ROOT=${CAF_ROOT}"
  WORKING_DIRECTORY "${SOURCE}"
  COMMAND_ERROR_IS_FATAL ANY)
file(READ "${SCRATCH}/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
if(count EQUAL 0)
  message(FATAL_ERROR "nothing is compiled")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON command GET "${commands}" ${i} command)
  if(command MATCHES " -flto")
    message(FATAL_ERROR "left to be optimised at link time: ${command}")
  endif()
endforeach()

# Sources of which gcc 12 has said at this optimisation, in pages, that a variant
# might have no value, are compiled without a warning.
set(objects
  nodes/protocol/CMakeFiles/libpool_protocol.dir/agent_connection.cpp.o
  tools/poolsim/CMakeFiles/libpool_simulator.dir/reading_gather.cpp.o)
execute_process(
  COMMAND ${CMAKE_COMMAND} --build "${SCRATCH}" --target ${objects}
  COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(said MATCHES "warning:")
  message(FATAL_ERROR "${said}")
endif()
