#pragma once

#include <cstdlib>

namespace test {

/// Whether tests run in their long form, as `./dev soak` has them do.
inline bool soaks() {
  return std::getenv("LIBPOOL_SOAK")
         != nullptr; // NOLINT(concurrency-mt-unsafe)
}

} // namespace test
