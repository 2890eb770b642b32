# Builds the checkout that this file is in: an overlay port, used with
#
#   vcpkg install libpool --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS components
  FEATURES
    live LIBPOOL_WITH_LIVE
    metrics LIBPOOL_WITH_METRICS
    nodes LIBPOOL_WITH_NODES)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${components}
    -DLIBPOOL_TESTS=OFF
    -DLIBPOOL_TOOLS=OFF
    -DLIBPOOL_EXAMPLES=OFF
    -DLIBPOOL_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME libpool CONFIG_PATH lib/cmake/libpool)
vcpkg_fixup_pkgconfig()
if("nodes" IN_LIST FEATURES)
  file(INSTALL "${SOURCE_PATH}/tools/poolcert"
    DESTINATION "${CURRENT_PACKAGES_DIR}/tools/libpool" USE_SOURCE_PERMISSIONS)
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/bin"
    "${CURRENT_PACKAGES_DIR}/debug/bin")
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include"
  "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
