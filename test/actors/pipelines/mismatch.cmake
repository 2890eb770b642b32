# Compiles each case of mismatch.cpp and looks for the words that the user is to
# read: cmake -D COMPILER=... -D SOURCE=... -D INCLUDE=... -D CAF=... -P

set(between "libpool: a stage takes something else than the one before it gives")
set(words_1 "${between}")
set(words_2 "${between}")
set(words_3 "libpool: a source can only be at the beginning of a pipeline")
set(words_4 "libpool: a stage that gives nothing can only be the last one")
set(words_5 "libpool: the function of a stage has one signature")
set(words_6 "libpool: the function of a stage takes one argument")
set(words_7 "libpool: a generator returns a std::optional")
set(words_8 "libpool: the function of a stage takes its argument by value")
set(words_9 "libpool: the handle of a stage has one signature")

function(compile case)
  execute_process(
    COMMAND "${COMPILER}" -std=c++17 -fsyntax-only -w -DCASE=${case}
      "-I${INCLUDE}" -idirafter "${CAF}" "${SOURCE}"
    RESULT_VARIABLE status
    ERROR_VARIABLE said)
  set(status "${status}" PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

compile(0)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "what fits does not compile:\n${said}")
endif()
foreach(case RANGE 1 9)
  compile(${case})
  if(status EQUAL 0)
    message(FATAL_ERROR "case ${case} compiles")
  endif()
  # Some compilers put the words of a message in several lines.
  string(REGEX REPLACE "\"?[ \n]+\"?" " " said "${said}")
  string(FIND "${said}" "${words_${case}}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "case ${case} does not say '${words_${case}}':\n${said}")
  endif()
endforeach()
