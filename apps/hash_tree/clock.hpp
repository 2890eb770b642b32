#pragma once

#include <chrono>

namespace hash_tree {

/// Seconds since some point in the past.
inline double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

} // namespace hash_tree
