# libpool_fetch_caf(<version>)
#
# Builds the core of CAF as a part of libpool, with which it is installed. Sets
# CAF_VERSION. The source comes from CAF's repository, or is the folder that
# FETCHCONTENT_SOURCE_DIR_CAF names.
function(libpool_fetch_caf version)
  # CAF 0.17 cannot be built as a part of another project.
  if(NOT version MATCHES "^1[.][01][.][0-9]+$")
    message(FATAL_ERROR "LIBPOOL_FETCH_CAF is '${version}': the CAF to fetch must be "
      "a version 1.0 or 1.1, such as 1.1.0.")
  endif()
  include(FetchContent)
  # Otherwise CAF makes libraries shared for libpool too.
  set(BUILD_SHARED_LIBS "${BUILD_SHARED_LIBS}")
  set(CMAKE_UNITY_BUILD OFF)
  foreach(part EXAMPLES IO_MODULE NET_MODULE OPENSSL_MODULE TESTING)
    set(CAF_ENABLE_${part} OFF)
  endforeach()
  FetchContent_Declare(CAF
    GIT_REPOSITORY https://github.com/actor-framework/actor-framework.git
    GIT_TAG "${version}"
    GIT_SHALLOW ON
    SYSTEM)
  FetchContent_MakeAvailable(CAF)
  if(NOT CAF_VERSION STREQUAL version)
    message(FATAL_ERROR "LIBPOOL_FETCH_CAF is ${version}, but the source of CAF is "
      "${CAF_VERSION}.")
  endif()
endfunction()
