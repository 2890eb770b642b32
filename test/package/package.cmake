# Installs BUILT into a scratch folder and looks at what is there; then builds and
# runs programs that have nothing but that, by CMake and by pkg-config:
#   cmake -D BUILT=... -D SCRATCH=... -P package.cmake
# The generator, CAF_ROOT, the compiler and its flags are those of BUILT.

include("${CMAKE_CURRENT_LIST_DIR}/made_up_caf.cmake")
set(prefix "${SCRATCH}/prefix")
file(REMOVE_RECURSE "${SCRATCH}")
foreach(entry BUILD_SHARED_LIBS CAF_INCLUDE_DIR CAF_ROOT CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_GENERATOR
    CMAKE_INSTALL_LIBDIR CMAKE_OBJDUMP LIBPOOL_CCACHE LIBPOOL_TOOLS)
  file(STRINGS "${BUILT}/CMakeCache.txt" line REGEX "^${entry}:")
  string(REGEX REPLACE "^[^=]*=" "" built_${entry} "${line}")
endforeach()
if(NOT built_LIBPOOL_CCACHE)
  set(built_LIBPOOL_CCACHE "")
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(output_of variable)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY
    OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

file(STRINGS "${BUILT}/libpool.pc" caf_version REGEX "^caf_version=")
string(REPLACE "caf_version=" "" caf_version "${caf_version}")

# A consumer that calls every answer right would prove nothing.
function(check_consumer program)
  run("${program}" 42)
  execute_process(COMMAND "${program}" 43 RESULT_VARIABLE result)
  if(NOT result EQUAL 1)
    message(FATAL_ERROR "the consumer took a wrong answer for right: ${result}")
  endif()
endfunction()

set(configure
  ${CMAKE_COMMAND}
  -S "${CMAKE_CURRENT_LIST_DIR}/consumer"
  -G "${built_CMAKE_GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${built_CMAKE_CXX_COMPILER}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${built_LIBPOOL_CCACHE}"
  "-DCMAKE_CXX_FLAGS=${built_CMAKE_CXX_FLAGS}"
  "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DPORTS=${CMAKE_CURRENT_LIST_DIR}/../../apps/support")

# build_consumer(<name> [<cache entry>...])
function(build_consumer name)
  run(${configure} -B "${SCRATCH}/${name}" "-DCAF_ROOT=${built_CAF_ROOT}" ${ARGN})
  run(${CMAKE_COMMAND} --build "${SCRATCH}/${name}")
endfunction()

run(${CMAKE_COMMAND} --install "${BUILT}" --prefix "${prefix}")
set(libraries "${prefix}/${built_CMAKE_INSTALL_LIBDIR}")

# -- what is there ------------------------------------------------------------

file(GLOB stray RELATIVE "${prefix}/include" "${prefix}/include/*")
if(NOT stray STREQUAL "libpool")
  message(FATAL_ERROR "installed beside the headers: ${stray}")
endif()

# Headers give no warnings to programs of newer standards either.
file(GLOB_RECURSE headers RELATIVE "${prefix}/include" "${prefix}/include/*.hpp")
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n")
file(WRITE "${SCRATCH}/all_headers.cpp" ${headers})
set(caf -isystem "${built_CAF_INCLUDE_DIR}")
if(built_CAF_INCLUDE_DIR STREQUAL "/usr/include")
  set(caf "")
endif()
foreach(standard c++20 c++2b)
  run("${built_CMAKE_CXX_COMPILER}" -std=${standard} -fsyntax-only
    -Wall -Wextra -Wconversion -Wshadow -Werror "-I${prefix}/include"
    ${caf} "${SCRATCH}/all_headers.cpp")
endforeach()

file(GLOB archives "${libraries}/libpool_*.a")
foreach(archive IN LISTS archives)
  output_of(sections "${built_CMAKE_OBJDUMP}" -h "${archive}")
  if(NOT sections MATCHES "[.]text")
    message(FATAL_ERROR "no code in ${archive}")
  endif()
  if(sections MATCHES "[.]gnu[.]lto_|[.]llvm[.]lto")
    message(FATAL_ERROR
      "${archive}: whoever links it has to optimise at link time")
  endif()
endforeach()

file(GLOB licence "${prefix}/share/doc/libpool/LICENSE")
if(NOT licence)
  message(FATAL_ERROR "the licence is not installed")
endif()

if(built_LIBPOOL_TOOLS)
  run("${prefix}/bin/poolsim" --help OUTPUT_QUIET)
  if(EXISTS "${prefix}/bin/poolctl")
    run("${prefix}/bin/poolctl" --help OUTPUT_QUIET)
  endif()
endif()

# Certificates can be made where pools can be served.
find_program(OPENSSL openssl)
if(EXISTS "${BUILT}/libpool-nodes.pc" AND OPENSSL)
  run("${prefix}/bin/poolcert" "${SCRATCH}/certificates" server client)
  foreach(file ca.pem server.pem server.key client.pem client.key)
    if(NOT EXISTS "${SCRATCH}/certificates/${file}")
      message(FATAL_ERROR "poolcert has made no ${file}")
    endif()
  endforeach()
endif()

# -- consumers by CMake -------------------------------------------------------

build_consumer(consumer)
check_consumer("${SCRATCH}/consumer/consumer")

# More of CAF may be looked for after libpool, and by libpool's module before it.
build_consumer(io_after -DCAF_IO=after)
run("${SCRATCH}/io_after/networked")
build_consumer(io_before -DCAF_IO=before
  "-DCMAKE_MODULE_PATH=${libraries}/cmake/libpool")
run("${SCRATCH}/io_before/networked")

# use_component(<name> <option> <program> <words>): a program with the component
# runs; if it was not built, it is missed by one of these words. Sets has_<name>.
function(use_component name option program words)
  set(has_${name} FALSE PARENT_SCOPE)
  if(EXISTS "${BUILT}/libpool-${name}.pc")
    set(has_${name} TRUE PARENT_SCOPE)
    build_consumer(${name} -D${option}=ON)
    run("${SCRATCH}/${name}/${program}" OUTPUT_QUIET)
    return()
  endif()
  execute_process(
    COMMAND ${configure} -B "${SCRATCH}/${name}" -D${option}=ON
      "-DCAF_ROOT=${built_CAF_ROOT}"
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE text)
  if(result EQUAL 0 OR NOT text MATCHES "${words}")
    message(FATAL_ERROR "libpool without its component ${name}: ${text}")
  endif()
endfunction()
use_component(nodes NODES served "nodes|nats")
use_component(metrics METRICS metered "metrics|prometheus")
use_component(live LIVE live "live")
if(built_BUILD_SHARED_LIBS)
  build_consumer(plugins -DPLUGINS=ON)
  run("${SCRATCH}/plugins/host" "${SCRATCH}/plugins/times_2.so"
    "${SCRATCH}/plugins/times_3.so" nested)
endif()
if(built_LIBPOOL_TOOLS)
  build_consumer(simulated -DSIMULATOR=ON)
  run("${SCRATCH}/simulated/simulated")
endif()

# -- projects of old, and components that are missing --------------------------

# configure_asking(<folder> <first line> <arguments of find_package>...): sets
# `result`, and `text` without line breaks.
function(configure_asking folder first)
  list(JOIN ARGN " " arguments)
  set(old "${SCRATCH}/${folder}")
  file(WRITE "${old}/CMakeLists.txt" "${first}
project(asking CXX)
find_package(libpool ${arguments})
add_executable(consumer \"${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp\")
target_compile_options(consumer PRIVATE -Wno-deprecated-declarations)
target_compile_definitions(consumer PRIVATE
  \"EXPECTED_VERSION=\\\"\${libpool_VERSION}\\\"\")
target_link_libraries(consumer PRIVATE libpool::libpool)
")
  list(FILTER configure EXCLUDE REGEX "^-S|/consumer$")
  execute_process(
    COMMAND ${configure} -S "${old}" -B "${old}/build" "-DCAF_ROOT=${built_CAF_ROOT}"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(result "${result}" PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

set(built)
foreach(name nodes metrics live)
  if(has_${name})
    list(APPEND built ${name})
  endif()
endforeach()
foreach(minimum none 3.1)
  set(first "cmake_minimum_required(VERSION ${minimum})")
  if(minimum STREQUAL none)
    set(first "")
  endif()
  configure_asking("asks_${minimum}" "${first}" REQUIRED COMPONENTS libpool ${built})
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "a project that asks for CMake ${minimum}: ${text}")
  endif()
  run(${CMAKE_COMMAND} --build "${SCRATCH}/asks_${minimum}/build")
  check_consumer("${SCRATCH}/asks_${minimum}/build/consumer")
endforeach()

# expect_missed(<folder> <component> <words>...): the component is missed by these
# words, in this order.
function(expect_missed folder component)
  list(JOIN ARGN ".*" words)
  set(first "cmake_minimum_required(VERSION 3.25)")
  configure_asking(${folder} "${first}" REQUIRED COMPONENTS ${component})
  if(result EQUAL 0 OR NOT text MATCHES "${words}")
    message(FATAL_ERROR "a missing component does not say '${words}': ${text}")
  endif()
endfunction()
expect_missed(unknown lives "Component lives: there is none of that name"
  "libpool" "policies")
configure_asking(unknown_optional "cmake_minimum_required(VERSION 3.25)" REQUIRED
  OPTIONAL_COMPONENTS lives)
if(NOT result EQUAL 0 OR NOT text MATCHES "libpool: Component lives: there is none")
  message(FATAL_ERROR "a component that may be missing: ${text}")
endif()
foreach(name IN LISTS built)
  set(targets "${libraries}/cmake/libpool/libpool-${name}Targets.cmake")
  file(RENAME "${targets}" "${targets}.away")
  expect_missed(not_built_${name} ${name}
    "Component ${name}: this libpool was built without it" "Debian: [a-z3+. -]*-dev"
    "build and install libpool again")
  file(RENAME "${targets}.away" "${targets}")
endforeach()
if(has_live AND has_metrics)
  list(APPEND configure -DCMAKE_DISABLE_FIND_PACKAGE_prometheus-cpp=ON)
  expect_missed(no_prometheus live "Component live: libpool::metrics not found"
    "Debian: [a-z3 -]*prometheus-cpp-dev")
  list(POP_BACK configure)
endif()

file(GLOB data RELATIVE "${prefix}/share/libpool" "${prefix}/share/libpool/*")
if(has_metrics AND NOT data STREQUAL "alerts.yml;dashboard.json")
  message(FATAL_ERROR "installed with metrics: ${data}")
endif()

# The CAF that it was built with, and no other one that libpool could be built
# with: that would not be told before the linker is at work, if at all.
set(other 1.1.0)
if(caf_version VERSION_GREATER 1)
  set(other 0.17.6)
endif()
make_up_caf("${SCRATCH}/other_caf" ${other})
execute_process(
  COMMAND ${configure} -B "${SCRATCH}/with_other_caf"
    "-DCAF_ROOT=${SCRATCH}/other_caf"
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE text)
if(result EQUAL 0 OR NOT text MATCHES "unsuitable version \"${other}\"")
  message(FATAL_ERROR "CAF ${other} in the place of ${caf_version}: ${text}")
endif()

# -- a consumer by pkg-config, after the folder was moved ---------------------

find_program(PKG_CONFIG NAMES pkgconf pkg-config REQUIRED)
set(moved "${SCRATCH}/moved")
file(RENAME "${prefix}" "${moved}")
set(moved_libraries "${moved}/${built_CMAKE_INSTALL_LIBDIR}")
set(ENV{PKG_CONFIG_PATH} "${moved_libraries}/pkgconfig")
output_of(version "${PKG_CONFIG}" --modversion libpool)
separate_arguments(flags UNIX_COMMAND "${built_CMAKE_CXX_FLAGS}")
# compile(<source> <package> <program>)
function(compile source package program)
  output_of(options "${PKG_CONFIG}" --cflags --libs ${package})
  separate_arguments(options UNIX_COMMAND "${options}")
  run("${built_CMAKE_CXX_COMPILER}" -std=c++17 -Wno-deprecated-declarations
    ${flags} "-DEXPECTED_VERSION=\"${version}\""
    "${CMAKE_CURRENT_LIST_DIR}/consumer/${source}" ${options}
    -o "${SCRATCH}/${program}")
  set(options ${options} PARENT_SCOPE)
endfunction()
compile(main.cpp libpool by_pkg_config)
set(folders ${options})
list(FILTER folders INCLUDE REGEX "^-L")
list(TRANSFORM folders REPLACE "^-L" "")
list(JOIN folders ":" folders)
set(ENV{LD_LIBRARY_PATH} "${folders}:$ENV{LD_LIBRARY_PATH}")
check_consumer("${SCRATCH}/by_pkg_config")
if(built_LIBPOOL_TOOLS)
  compile(simulated.cpp libpool simulated_by_pkg_config)
  run("${SCRATCH}/simulated_by_pkg_config")
endif()
if(has_nodes)
  compile(served.cpp libpool-nodes served_by_pkg_config)
  run("${SCRATCH}/served_by_pkg_config")
endif()
if(has_metrics)
  compile(metered.cpp libpool-metrics metered_by_pkg_config)
  run("${SCRATCH}/metered_by_pkg_config" OUTPUT_QUIET)
endif()
if(has_live)
  compile(live.cpp libpool-live live_by_pkg_config)
  run("${SCRATCH}/live_by_pkg_config")
endif()
