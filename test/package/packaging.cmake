# packaging.cmake, with SOURCE, VERSION and, if there is one, PYTHON: the recipes for
# package managers can be read, are of the library's version, and name options,
# folders and components that exist.


cmake_minimum_required(VERSION 3.25)
file(READ "${SOURCE}/packaging/vcpkg/vcpkg.json" manifest)
file(READ "${SOURCE}/packaging/vcpkg/portfile.cmake" portfile)
file(READ "${SOURCE}/packaging/conan/conanfile.py" recipe)
file(READ "${SOURCE}/CMakeLists.txt" project)

string(JSON version GET "${manifest}" version)
if(NOT version STREQUAL VERSION)
  message(SEND_ERROR "vcpkg.json: version ${version}, but libpool is ${VERSION}")
endif()

string(REGEX MATCHALL "LIBPOOL_[A-Z]+=" options "${portfile}")
string(REGEX MATCH "for option in \\(([^)]*)\\)" names "${recipe}")
string(REGEX MATCHALL "[A-Z]+" names "${CMAKE_MATCH_1}")
list(TRANSFORM names PREPEND "LIBPOOL_")
list(TRANSFORM options REPLACE "=" "")
if(NOT names OR NOT options)
  message(SEND_ERROR "no options of CMake found in the recipes")
endif()
foreach(option IN LISTS options names)
  if(NOT project MATCHES "option\\(${option} ")
    message(SEND_ERROR "CMakeLists.txt has no option ${option}")
  endif()
endforeach()

string(JSON count LENGTH "${manifest}" features)
math(EXPR last "${count} - 1")
set(components "")
foreach(index RANGE ${last})
  string(JSON component MEMBER "${manifest}" features ${index})
  list(APPEND components ${component})
endforeach()
string(REGEX MATCHALL "\"with_[a-z]+\": False" switches "${recipe}")
list(TRANSFORM switches REPLACE "\"with_([a-z]+)\": False" "\\1")
if(NOT components STREQUAL switches)
  message(SEND_ERROR "components differ: ${components} and ${switches}")
endif()
string(REGEX MATCH "folders = \\(([^)]*)\\)" folders "${recipe}")
string(REGEX MATCHALL "[a-z]+" folders "${CMAKE_MATCH_1}")
foreach(folder IN LISTS components folders)
  if(NOT EXISTS "${SOURCE}/${folder}/CMakeLists.txt" AND NOT folder STREQUAL cmake
      AND NOT EXISTS "${SOURCE}/observability/${folder}/CMakeLists.txt")
    message(SEND_ERROR "no folder ${folder}")
  endif()
endforeach()
string(REGEX MATCHALL "add_subdirectory\\((libpool|policies|actors|nodes|observability)\\)"
  needed "${project}")
list(TRANSFORM needed REPLACE "add_subdirectory.(.*)." "\\1")
foreach(folder IN LISTS needed)
  if(NOT folder IN_LIST folders)
    message(SEND_ERROR "conanfile.py does not export ${folder}")
  endif()
endforeach()

if(PYTHON)
  execute_process(COMMAND "${PYTHON}" -c
    "import ast, sys; ast.parse(open(sys.argv[1]).read())"
    "${SOURCE}/packaging/conan/conanfile.py" COMMAND_ERROR_IS_FATAL ANY)
endif()
