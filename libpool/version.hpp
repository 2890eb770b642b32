#pragma once

#include <string_view>

/// Version of libpool in parts and as text. CMake reads the version from this
/// file.
#define LIBPOOL_VERSION_MAJOR 0
#define LIBPOOL_VERSION_MINOR 1
#define LIBPOOL_VERSION_PATCH 0
#define LIBPOOL_VERSION_STRING "0.1.0"

/// Version of libpool as one number for comparisons; version 1.2.3 is 10203.
#define LIBPOOL_VERSION \
  (LIBPOOL_VERSION_MAJOR * 10000 + LIBPOOL_VERSION_MINOR * 100 \
   + LIBPOOL_VERSION_PATCH)

namespace libpool {

/// Version of libpool as one number for comparisons; equal to
/// `LIBPOOL_VERSION`.
inline constexpr int version_number = LIBPOOL_VERSION;

/// Version of libpool as text, such as "1.2.3".
inline constexpr std::string_view version = LIBPOOL_VERSION_STRING;

} // namespace libpool
