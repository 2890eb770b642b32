#include "support/fact_sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Aborts if the facts that `data` stands for break a law of the dispatcher.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto broken = test::broken_law_in({data, data + size});
  if (!broken.empty()) {
    std::fputs(broken.c_str(), stderr);
    std::abort();
  }
  return 0;
}
