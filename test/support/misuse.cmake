# Compiles each case of a source and looks for the words that the user is to read
# in the first error: cmake -D COMPILER=... -D SOURCE=... -D INCLUDE=...
# -D CAF=... -D FOLDER=... -P. Case 0 is what fits; line i of the file beside the source, with
# .words for .cpp, is what case i is to say.

string(REGEX REPLACE "cpp$" "words" words_file "${SOURCE}")
file(STRINGS "${words_file}" words)
list(LENGTH words cases)

string(REPLACE ":" ";-I" roots "${INCLUDE}")
# Where the compiler looks anyway, another CAF may be.
set(how -isystem)
if(CAF STREQUAL "/usr/include")
  set(how -idirafter)
endif()
set(command "${COMPILER}" -std=c++17 -w -Wfatal-errors ${roots} ${how} "${CAF}")

# The headers that the source includes are compiled once for all cases.
set(header "${FOLDER}/misuse.hpp")
file(STRINGS "${SOURCE}" includes REGEX "^#include")
list(JOIN includes "\n" includes)
file(WRITE "${header}" "${includes}\n")
execute_process(
  COMMAND ${command} -x c++-header "${header}" -o "${header}.gch"
  COMMAND_ERROR_IS_FATAL ANY)

function(compile case)
  execute_process(
    COMMAND ${command} -fsyntax-only -DCASE=${case} -include "${header}"
      "${SOURCE}"
    RESULT_VARIABLE status
    ERROR_VARIABLE said)
  set(status "${status}" PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

# The first error of what was said.
function(first_error said)
  # Some compilers put the words of a message in several lines.
  string(REGEX REPLACE "\"?[ \n]+\"?" " " said "${said}")
  string(FIND "${said}" " error: " begin)
  if(begin EQUAL -1)
    set(begin 0)
  endif()
  math(EXPR begin "${begin} + 8")
  string(SUBSTRING "${said}" ${begin} -1 said)
  string(FIND "${said}" " error: " end)
  string(SUBSTRING "${said}" 0 ${end} said)
  set(first "${said}" PARENT_SCOPE)
endfunction()

compile(0)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "what fits does not compile:\n${said}")
endif()
foreach(case RANGE 1 ${cases})
  math(EXPR line "${case} - 1")
  list(GET words ${line} expected)
  compile(${case})
  if(status EQUAL 0)
    message(FATAL_ERROR "case ${case} compiles")
  endif()
  first_error("${said}")
  string(FIND "${first}" "libpool: ${expected}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "case ${case} does not say '${expected}' first:\n${said}")
  endif()
endforeach()
