# Finds the C++ Actor Framework, also where it comes without a CMake package.
#
#   find_package(CAF REQUIRED COMPONENTS core io)
#
# Defines CAF::core, CAF::io, CAF_VERSION, CAF_INCLUDE_DIR. What a component needs
# is found with it, and it may be asked for again and again, with other components
# each time.
# Where CAF_ROOT is set (CMake or environment), CAF is looked for there and
# nowhere else; only there is a CMake package of CAF's own made use of.
# Otherwise a package lying about, say in /opt, could be taken unasked.

# For this file alone, whatever CMake the project asks for.
cmake_policy(PUSH)
cmake_policy(VERSION 3.19...3.25)

set(CAF_known_components core io)
if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core)
  set(CAF_FIND_REQUIRED_core TRUE)
endif()

set(CAF_io_needs core)
if("io" IN_LIST CAF_FIND_COMPONENTS)
  list(REMOVE_ITEM CAF_FIND_COMPONENTS core)
  list(PREPEND CAF_FIND_COMPONENTS core)
  if(CAF_FIND_REQUIRED_io)
    set(CAF_FIND_REQUIRED_core TRUE)
  endif()
endif()

set(CAF_root "${CAF_ROOT}")
if(NOT CAF_root)
  set(CAF_root "$ENV{CAF_ROOT}")
endif()
set(CAF_only_there)
if(CAF_root)
  set(CAF_only_there NO_DEFAULT_PATH)
  # CAF's package takes fewer ranges of versions than this module, and fails
  # where some of its targets are there: made below, when it was asked before.
  if(NOT TARGET CAF::core)
    find_package(CAF QUIET CONFIG PATHS "${CAF_root}" NO_DEFAULT_PATH
      COMPONENTS ${CAF_FIND_COMPONENTS})
  endif()
endif()

find_path(CAF_INCLUDE_DIR caf/config.hpp
  HINTS "${CAF_root}" PATH_SUFFIXES include ${CAF_only_there})
mark_as_advanced(CAF_INCLUDE_DIR)

# Words count where there are any: 1.1.0 has 0100, and 1706 is 0.17.6.
set(CAF_VERSION)
if(CAF_INCLUDE_DIR)
  foreach(header detail/build_config.hpp config.hpp)
    if(EXISTS "${CAF_INCLUDE_DIR}/caf/${header}" AND NOT CAF_VERSION)
      file(STRINGS "${CAF_INCLUDE_DIR}/caf/${header}" CAF_version_lines
        REGEX "^#define +CAF_VERSION(_STR)? ")
      if(CAF_version_lines MATCHES "CAF_VERSION_STR +\"([0-9.]+)\"")
        set(CAF_VERSION "${CMAKE_MATCH_1}")
      elseif(CAF_version_lines MATCHES "CAF_VERSION +0*([0-9]+)")
        math(EXPR CAF_major "${CMAKE_MATCH_1} / 10000")
        math(EXPR CAF_minor "${CMAKE_MATCH_1} / 100 % 100")
        math(EXPR CAF_patch "${CMAKE_MATCH_1} % 100")
        set(CAF_VERSION "${CAF_major}.${CAF_minor}.${CAF_patch}")
      endif()
    endif()
  endforeach()
endif()

# Versions that libpool was not tried with are refused: their insides differ.
if(CAF_VERSION AND NOT CAF_VERSION MATCHES "^(0\\.17|1\\.[01])(\\.|$)")
  message(FATAL_ERROR "CAF ${CAF_VERSION} in ${CAF_INCLUDE_DIR} is not "
    "supported: libpool works with CAF 0.17 (Debian), 1.0 and 1.1. The "
    "variable CAF_ROOT names the folder of another one (now: '${CAF_root}').")
endif()

foreach(component IN LISTS CAF_FIND_COMPONENTS)
  set(CAF_${component}_FOUND FALSE)
  if(TARGET CAF::${component})
    set(CAF_${component}_FOUND TRUE)
  elseif(component IN_LIST CAF_known_components)
    find_library(CAF_${component}_LIBRARY caf_${component}
      HINTS "${CAF_root}" ${CAF_only_there}
      PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
    mark_as_advanced(CAF_${component}_LIBRARY)
    if(CAF_${component}_LIBRARY)
      set(CAF_${component}_FOUND TRUE)
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS
  HANDLE_VERSION_RANGE
  REASON_FAILURE_MESSAGE
    "Debian has CAF 0.17 in its package libcaf-dev. The variable CAF_ROOT makes \
CMake look in that folder only (now: '${CAF_root}').")

if(CAF_FOUND)
  find_package(Threads REQUIRED)
  foreach(component IN LISTS CAF_FIND_COMPONENTS)
    if(CAF_${component}_FOUND AND NOT TARGET CAF::${component})
      add_library(CAF::${component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${component} PROPERTIES
        IMPORTED_LOCATION "${CAF_${component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES Threads::Threads)
      if(CAF_${component}_needs)
        set_property(TARGET CAF::${component} APPEND PROPERTY
          INTERFACE_LINK_LIBRARIES CAF::${CAF_${component}_needs})
      endif()
    endif()
  endforeach()
endif()
cmake_policy(POP)
