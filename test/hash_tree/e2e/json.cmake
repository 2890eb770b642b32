# cmake -DFILE=… -DKEYS=a;0;b -P json.cmake: prints the value under these keys.
file(READ "${FILE}" text)
string(JSON value GET "${text}" ${KEYS})
execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${value}")
