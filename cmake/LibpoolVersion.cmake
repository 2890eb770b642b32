# Sets LIBPOOL_VERSION to what libpool/version.hpp says.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  libpool/version.hpp)
set(LIBPOOL_VERSION "")
foreach(part MAJOR MINOR PATCH)
  file(STRINGS libpool/version.hpp line
    REGEX "^#define LIBPOOL_VERSION_${part} [0-9]+$")
  string(REGEX REPLACE "^.* " "" line "${line}")
  list(APPEND LIBPOOL_VERSION "${line}")
endforeach()
list(JOIN LIBPOOL_VERSION "." LIBPOOL_VERSION)
