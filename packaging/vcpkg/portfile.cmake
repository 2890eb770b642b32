# Builds the checkout that this file is in: an overlay port, used with
#
#   vcpkg install libpool --overlay-ports=packaging/vcpkg
#
# Features bring the packages that a component needs; CMake builds each component
# whose packages it finds.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DLIBPOOL_TESTS=OFF
    -DLIBPOOL_TOOLS=OFF
    -DLIBPOOL_EXAMPLES=OFF
    -DLIBPOOL_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME libpool CONFIG_PATH lib/cmake/libpool)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include"
  "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
