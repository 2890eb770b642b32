#include "support/leased_pool.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

TEST_CASE("a lease book obeys all of its laws for any sequence of events") {
  CHECK(rc::check("all laws hold for any sequence of events",
                  [](const std::vector<std::uint8_t>& bytes) {
                    RC_ASSERT(test::broken_lease_law_in(bytes) == "");
                  }));
}

TEST_CASE("a lease book obeys all of its laws in long sequences of events") {
  for (std::uint64_t seed = 0; seed < (test::sanitized() ? 15 : 150); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 engine{seed};
    std::vector<std::uint8_t> bytes(900);
    for (auto& each : bytes)
      each = static_cast<std::uint8_t>(engine());
    CHECK(test::broken_lease_law_in(bytes) == "");
  }
}
