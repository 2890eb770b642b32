#pragma once

#include <cstdlib>

namespace test {

/// Whether tests run in their long form, as `./dev soak` has them do.
inline bool soaks() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): tests only read the environment.
  return std::getenv("LIBPOOL_SOAK") != nullptr;
}

} // namespace test
