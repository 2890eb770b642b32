include_guard(GLOBAL)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(LibpoolPkgConfig)

# Sets <result> to <file>, with <to> in the place of the folder <from>.
function(libpool_mapped file from to result)
  if(from AND file MATCHES "^${from}/(.*)")
    set(file "${to}/${CMAKE_MATCH_1}")
  endif()
  set(${result} "${file}" PARENT_SCOPE)
endfunction()

# Makes <root>/<prefix>/<file> include <file> of the calling folder, for each
# file, and removes what else is in <root>. Files of the folder <from>, if any,
# go to the folder <to>.
function(libpool_forward root prefix from to)
  set(made "")
  foreach(file IN LISTS ARGN)
    libpool_mapped("${file}" "${from}" "${to}" mapped)
    set(path "${root}/${prefix}/${mapped}")
    get_filename_component(folder "${path}" DIRECTORY)
    file(RELATIVE_PATH target "${folder}" "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    file(CONFIGURE OUTPUT "${path}" CONTENT "#include \"${target}\"\n")
    list(APPEND made "${path}")
  endforeach()
  file(GLOB_RECURSE stale "${root}/*.hpp")
  list(REMOVE_ITEM stale ${made})
  if(stale)
    file(REMOVE ${stale})
  endif()
endfunction()

# libpool_component(<name> [STATIC] PREFIX <path> [PACKAGE <name>]
#                   [MAPPED <folder> <folder>]
#                   HEADERS <file>... [PRIVATE_HEADERS <file>...]
#                   [SOURCES <file>...] [LINK <lib>...])
#
# Declares libpool::<name>, installed and exported with the package, or with one
# for pkg-config of its own, and targets of its own, if that has a name. All files
# are relative to the calling CMakeLists.txt. Headers are included as
# <PREFIX>/<file>. Those that are private are there for the component itself,
# and for what links libpool_<name>_private: its tests. Without sources the
# component is header-only. Headers of the first folder behind MAPPED are
# included as if they were in the second one.
#
# In the tree headers are found by other headers that include them, made in the
# build folder: so each component has include roots of its own, and what
# includes a header of one that it does not link does not compile.
#
# Archives are never optimised at link time, unless libpool is part of a project
# that decides so: whoever links them would have to do it, each time.
function(libpool_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC"
    "PREFIX;PACKAGE" "HEADERS;PRIVATE_HEADERS;SOURCES;LINK;MAPPED")
  list(APPEND arg_MAPPED "" "")
  list(GET arg_MAPPED 0 from)
  list(GET arg_MAPPED 1 to)
  set(target libpool_${name})
  set(package libpool)
  if(arg_PACKAGE)
    set(package ${arg_PACKAGE})
  endif()
  set(public "${CMAKE_CURRENT_BINARY_DIR}/${name}_headers")
  set(private "${CMAKE_CURRENT_BINARY_DIR}/${name}_private_headers")

  if(arg_SOURCES)
    set(scope PUBLIC)
    set(kind "")
    if(arg_STATIC)
      set(kind STATIC)
    endif()
    add_library(${target} ${kind} ${arg_SOURCES})
    set_property(GLOBAL APPEND PROPERTY ${package}_ARCHIVES pool_${name})
    if(PROJECT_IS_TOP_LEVEL)
      set_target_properties(${target} PROPERTIES
        INTERPROCEDURAL_OPTIMIZATION OFF)
    endif()
    set_target_properties(${target} PROPERTIES
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON
      OUTPUT_NAME pool_${name}
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
      INSTALL_RPATH $ORIGIN)
    target_compile_definitions(${target}
      PUBLIC $<$<BOOL:${BUILD_SHARED_LIBS}>:LIBPOOL_SHARED>)
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()

  set_property(GLOBAL APPEND PROPERTY libpool_COMPONENTS ${name})
  add_library(libpool::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    LIBPOOL_HEADERS "${public}")
  target_compile_features(${target} ${scope} cxx_std_17)
  target_link_libraries(${target} ${scope} ${arg_LINK})
  libpool_forward("${public}" "${arg_PREFIX}" "${from}" "${to}" ${arg_HEADERS})
  target_include_directories(${target} ${scope}
    "$<BUILD_INTERFACE:${public}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  if(arg_PRIVATE_HEADERS)
    libpool_forward("${private}" "${arg_PREFIX}" "${from}" "${to}"
      ${arg_PRIVATE_HEADERS})
    target_include_directories(${target} PRIVATE "${private}")
    add_library(${target}_private INTERFACE)
    target_link_libraries(${target}_private INTERFACE ${target})
    target_include_directories(${target}_private INTERFACE "${private}")
  endif()

  # Each header can be included alone: all_verify_interface_header_sets.
  set(headers "")
  foreach(header IN LISTS arg_HEADERS)
    libpool_mapped("${header}" "${from}" "${to}" mapped)
    list(APPEND headers "${public}/${arg_PREFIX}/${mapped}")
    file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    set_property(GLOBAL APPEND_STRING PROPERTY libpool_PUBLIC_HEADERS
      "${arg_PREFIX}/${mapped} ${source}\n")
  endforeach()
  add_library(${target}_alone INTERFACE)
  target_link_libraries(${target}_alone INTERFACE ${target})
  target_sources(${target}_alone INTERFACE FILE_SET HEADERS
    BASE_DIRS "${public}"
    FILES ${headers})
  set_target_properties(${target}_alone PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON)

  install(TARGETS ${target} EXPORT ${package}Targets)
  foreach(header IN LISTS arg_HEADERS)
    libpool_mapped("${header}" "${from}" "${to}" mapped)
    get_filename_component(folder "${arg_PREFIX}/${mapped}" DIRECTORY)
    install(FILES "${header}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
  endforeach()
endfunction()

# Writes public_headers.txt, which the site of the manual is made from: what users
# include, and the file of the tree that it is, one header a line.
function(libpool_list_public_headers)
  get_property(headers GLOBAL PROPERTY libpool_PUBLIC_HEADERS)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/public_headers.txt"
    CONTENT "${headers}" @ONLY)
endfunction()

# Sets <result> to the versions that have the same insides as <version>:
# 1.1...<1.2 for 1.1.0.
function(libpool_versions_of version result)
  if(version MATCHES "^([0-9]+)[.]([0-9]+)")
    math(EXPR next "${CMAKE_MATCH_2} + 1")
    set(${result} "${CMAKE_MATCH_0}...<${CMAKE_MATCH_1}.${next}" PARENT_SCOPE)
  endif()
endfunction()

# Installs what find_package(libpool) and pkg-config read, and the licence.
# FindCAF.cmake and FindNats.cmake go with it, since the users of the package lack
# them as well.
function(libpool_install_package)
  set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/libpool")
  libpool_versions_of("${CAF_VERSION}" LIBPOOL_CAF_VERSIONS)
  get_property(components GLOBAL PROPERTY libpool_COMPONENTS)
  list(JOIN components ", " LIBPOOL_COMPONENTS)
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/libpoolConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/libpoolConfig.cmake"
    INSTALL_DESTINATION "${folder}"
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/libpoolConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(EXPORT libpoolTargets
    NAMESPACE libpool::
    DESTINATION "${folder}")
  foreach(component live metrics nodes)
    if(TARGET libpool::${component})
      install(EXPORT libpool-${component}Targets
        NAMESPACE libpool::
        DESTINATION "${folder}")
    endif()
  endforeach()
  install(
    FILES
      "${PROJECT_BINARY_DIR}/libpoolConfig.cmake"
      "${PROJECT_BINARY_DIR}/libpoolConfigVersion.cmake"
      "${PROJECT_SOURCE_DIR}/cmake/FindCAF.cmake"
      "${PROJECT_SOURCE_DIR}/cmake/FindNats.cmake"
    DESTINATION "${folder}")
  libpool_install_pkg_config()
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
