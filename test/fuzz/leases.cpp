#include "support/leased_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Aborts if the events that `data` stands for break a law of lease books.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto broken = test::broken_lease_law_in({data, data + size});
  if (!broken.empty()) {
    std::fputs(broken.c_str(), stderr);
    std::abort();
  }
  return 0;
}
