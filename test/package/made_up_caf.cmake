# make_up_caf(<folder> <version>)
#
# Makes the folder look like an installed CAF: headers that tell the version as
# CAF tells it, by a number until 0.19, and a library that is empty.
function(make_up_caf folder version)
  if(version MATCHES "^0[.]([0-9]+)[.]([0-9])$")
    set(header config.hpp)
    set(lines "#define CAF_VERSION ${CMAKE_MATCH_1}0${CMAKE_MATCH_2}\n")
  else()
    set(header detail/build_config.hpp)
    set(lines "#define CAF_VERSION 0100\n#define CAF_VERSION_STR \"${version}\"\n")
  endif()
  file(WRITE "${folder}/include/caf/config.hpp" "")
  file(WRITE "${folder}/include/caf/${header}" "${lines}")
  file(WRITE "${folder}/lib/libcaf_core.so" "")
endfunction()
