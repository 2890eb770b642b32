#pragma once

#include <cstdlib>

namespace test {

/// Whether tests run in their long form, as `./dev soak` has them do.
inline bool soaks() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): tests only read the environment.
  return std::getenv("LIBPOOL_SOAK") != nullptr;
}

/// Whether this was built with a sanitizer, which makes a test ten times as
/// slow.
constexpr bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

} // namespace test
