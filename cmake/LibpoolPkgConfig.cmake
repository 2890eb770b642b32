include_guard(GLOBAL)
include(GNUInstallDirs)

# libpool_pkg_config_of(<target> <cflags> <libs>)
#
# Appends to two variables what the compiler is to be told of an imported
# library; nothing where it looks by itself.
function(libpool_pkg_config_of target cflags libs)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS folders)
    if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      list(APPEND ${cflags} "-I${folder}")
    endif()
  endforeach()
  get_target_property(file ${target} LOCATION)
  if(file)
    cmake_path(GET file PARENT_PATH folder)
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND ${libs} "-L${folder}")
    endif()
    cmake_path(GET file STEM name)
    string(REGEX REPLACE "^lib" "" name "${name}")
    list(APPEND ${libs} "-l${name}")
  endif()
  set(${cflags} "${${cflags}}" PARENT_SCOPE)
  set(${libs} "${${libs}}" PARENT_SCOPE)
endfunction()

# Installs libpool.pc. A component is declared after those that it links, and
# the linker wants an archive before those that it needs: hence the other way
# round.
function(libpool_install_pkg_config)
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH LIBPOOL_PC_TO_PREFIX
    "${CMAKE_INSTALL_PREFIX}/${folder}" "${CMAKE_INSTALL_PREFIX}")
  string(REGEX REPLACE "/$" "" LIBPOOL_PC_TO_PREFIX "${LIBPOOL_PC_TO_PREFIX}")
  set(LIBPOOL_PC_CFLAGS "-I\${includedir}")
  set(LIBPOOL_PC_LIBS "-L\${libdir}")
  get_property(archives GLOBAL PROPERTY LIBPOOL_ARCHIVES)
  list(REVERSE archives)
  list(TRANSFORM archives PREPEND "-l")
  list(APPEND LIBPOOL_PC_LIBS ${archives})
  libpool_pkg_config_of(Boost::headers LIBPOOL_PC_CFLAGS LIBPOOL_PC_LIBS)
  if(TARGET CAF::core)
    libpool_pkg_config_of(CAF::core LIBPOOL_PC_CFLAGS LIBPOOL_PC_LIBS)
  endif()
  list(APPEND LIBPOOL_PC_LIBS -pthread)
  list(JOIN LIBPOOL_PC_CFLAGS " " LIBPOOL_PC_CFLAGS)
  list(JOIN LIBPOOL_PC_LIBS " " LIBPOOL_PC_LIBS)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/libpool.pc.in"
    "${PROJECT_BINARY_DIR}/libpool.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/libpool.pc" DESTINATION "${folder}")
endfunction()
