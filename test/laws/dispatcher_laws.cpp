#include "support/drawn_facts.hpp"
#include "support/fact_decoding.hpp"
#include "support/fact_sequence.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

using test::coded_settings;
using test::live_through;

namespace {

/// Many pools, which `change` makes what they are to be, live through so many
/// facts.
void check_lives(std::uint64_t pools, std::size_t facts,
                 const std::function<void(coded_settings&)>& change) {
  for (std::uint64_t seed = 0; seed < pools; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 engine{seed};
    coded_settings how{};
    for (auto& byte : how)
      byte = static_cast<std::uint8_t>(engine());
    change(how);
    auto outcome = live_through(test::decoded_settings(how),
                                test::random_facts(seed, facts));
    CHECK(outcome.broken == "");
  }
}

} // namespace

TEST_CASE("a dispatcher obeys all of its laws for any sequence of events") {
  CHECK(rc::check("all laws hold for any sequence of events", [] {
    auto how = *test::any_bytes<test::setting_bytes>();
    test::check_life(test::decoded_settings(how), test::drawn_facts());
  }));
}

TEST_CASE("a dispatcher obeys all of its laws in long sequences of events") {
  check_lives(200, 400, [](auto&) {});
}

TEST_CASE("a dispatcher obeys all of its laws if tasks take several seats of a "
          "worker") {
  check_lives(400, 200, [](auto& how) { how[5] |= 1U; });
}

TEST_CASE("a dispatcher obeys all of its laws if idle workers steal tasks "
          "according to estimated costs") {
  check_lives(400, 200, [](auto& how) {
    how[0] |= 3U; // eager, and steals
    how[1] |= 8U;
    how[5] &= 254U;
  });
}

TEST_CASE("a simulated pool to which nothing happens ends correctly, whatever "
          "its settings are") {
  for (auto first = 0; first < 256; ++first)
    for (auto last = 0; last < 32; ++last)
      CHECK(test::broken_law_in({static_cast<std::uint8_t>(first), 0, 0,
                                 static_cast<std::uint8_t>(last),
                                 static_cast<std::uint8_t>(first + 8 * last),
                                 static_cast<std::uint8_t>(first), 0,
                                 static_cast<std::uint8_t>(last)})
            == "");
}
