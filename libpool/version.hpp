#pragma once

#include <string_view>

/// The version of libpool. This is its only source: CMake reads this file.
#define LIBPOOL_VERSION_MAJOR 0
#define LIBPOOL_VERSION_MINOR 1
#define LIBPOOL_VERSION_PATCH 0
#define LIBPOOL_VERSION_STRING "0.1.0"

/// The version as a number, to compare versions: 1.2.3 is 10203.
#define LIBPOOL_VERSION \
  (LIBPOOL_VERSION_MAJOR * 10000 + LIBPOOL_VERSION_MINOR * 100 \
   + LIBPOOL_VERSION_PATCH)

namespace libpool {

/// `LIBPOOL_VERSION` as a constant.
inline constexpr int version_number = LIBPOOL_VERSION;

/// The version as text, such as "1.2.3".
inline constexpr std::string_view version = LIBPOOL_VERSION_STRING;

} // namespace libpool
