#include "support/fact_sequence.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using test::broken_law_in;
using test::fact_bytes;
using test::setting_bytes;

namespace {

using bytes = std::vector<std::uint8_t>;

template <std::size_t Size>
rc::Gen<std::array<std::uint8_t, Size>> some_bytes() {
  return rc::gen::container<std::array<std::uint8_t, Size>>(
    rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint8_t>()));
}

/// A pool, and facts which can be left out one by one.
bytes drawn() {
  auto pool = *some_bytes<setting_bytes>();
  auto facts = *rc::gen::scale(
    3.0, rc::gen::container<std::vector<std::array<std::uint8_t, fact_bytes>>>(
           some_bytes<fact_bytes>()));
  bytes result(pool.begin(), pool.end());
  for (const auto& fact : facts)
    result.insert(result.end(), fact.begin(), fact.end());
  return result;
}

bytes random_bytes(std::uint64_t seed, std::size_t facts) {
  std::mt19937_64 engine{seed};
  bytes result(setting_bytes + facts * fact_bytes);
  for (auto& byte : result)
    byte = static_cast<std::uint8_t>(engine());
  return result;
}

} // namespace

TEST_CASE("a dispatcher breaks no law, whatever it is told") {
  CHECK(rc::check("no sequence of facts breaks a law", [] {
    auto broken = broken_law_in(drawn());
    if (!broken.empty())
      RC_FAIL(broken);
  }));
}

TEST_CASE("a dispatcher breaks no law in long sequences of facts") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    CHECK(broken_law_in(random_bytes(seed, 400)) == "");
  }
}

TEST_CASE("a dispatcher breaks no law where tasks take seats") {
  constexpr std::size_t flows = 5; // the byte that describes them
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    auto facts = random_bytes(seed, 200);
    facts[flows] |= 1U;
    CHECK(broken_law_in(facts) == "");
  }
}

TEST_CASE("a dispatcher breaks no law where tasks are stolen by their costs") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    auto facts = random_bytes(seed, 200);
    facts[0] |= 3U; // bound at once, and stolen
    facts[1] |= 8U;
    facts[5] &= 254U;
    CHECK(broken_law_in(facts) == "");
  }
}

TEST_CASE("a pool to which nothing happens is driven to its end, whatever its "
          "settings") {
  for (auto first = 0; first < 256; ++first)
    for (auto last = 0; last < 32; ++last)
      CHECK(broken_law_in({static_cast<std::uint8_t>(first), 0, 0,
                           static_cast<std::uint8_t>(last),
                           static_cast<std::uint8_t>(first + 8 * last),
                           static_cast<std::uint8_t>(first), 0})
            == "");
}
