# Finds the C client of NATS.
#
#   find_package(Nats)
#
# Defines nats::nats. The CMake package in Debian's libnats-dev names a static
# library that is not in there, so the library is looked for by hand.
find_library(Nats_LIBRARY NAMES nats nats_static natsd nats_staticd NAMES_PER_DIR)
find_path(Nats_INCLUDE_DIR nats/nats.h)
mark_as_advanced(Nats_LIBRARY Nats_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nats
  REQUIRED_VARS Nats_LIBRARY Nats_INCLUDE_DIR)

if(Nats_FOUND AND NOT TARGET nats::nats)
  add_library(nats::nats UNKNOWN IMPORTED GLOBAL)
  set_target_properties(nats::nats PROPERTIES
    IMPORTED_LOCATION "${Nats_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Nats_INCLUDE_DIR}")
  if(Nats_LIBRARY MATCHES "\\.a$")
    find_package(OpenSSL REQUIRED)
    find_package(Threads REQUIRED)
    set_target_properties(nats::nats PROPERTIES
      INTERFACE_LINK_LIBRARIES "OpenSSL::SSL;Threads::Threads")
  endif()
endif()
