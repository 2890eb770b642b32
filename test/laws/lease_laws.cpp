#include "support/leased_pool.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

std::vector<std::uint8_t> drawn_bytes(std::size_t n, std::mt19937_64& engine) {
  std::vector<std::uint8_t> result(n);
  for (auto& each : result)
    each = static_cast<std::uint8_t>(engine());
  return result;
}

} // namespace

TEST_CASE("a lease book obeys all of its laws for any sequence of events") {
  CHECK(rc::check("all laws hold for any sequence of events",
                  [](const std::vector<std::uint8_t>& bytes) {
                    RC_ASSERT(test::broken_lease_law_in(bytes) == "");
                  }));
}

TEST_CASE(
  "a leased message that runs is cancelled at its own deadline, although "
  "no message waits and an idle worker has asked for others") {
  CHECK(test::broken_lease_law_in({22, 0,  0, 10, 15, 113, 195, 225, 11, 237,
                                   36, 7,  1, 10, 0,  21,  11,  7,   1,  11,
                                   7,  1,  9, 7,  0,  11,  7,   0,   15, 7,
                                   0,  11, 7, 0,  9,  11,  10,  40})
        == "");
}

TEST_CASE(
  "a lease book obeys all of its laws if tasks and deadlines are short") {
  for (std::uint64_t seed = 0; seed < (test::sanitized() ? 40 : 400); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 engine{seed};
    auto bytes = drawn_bytes(902, engine);
    for (std::size_t i = 2; i < bytes.size(); i += 3) {
      auto runs = bytes[i] % 16 >= 7 && bytes[i] % 16 <= 10;
      bytes[i + 1] %= 6;
      bytes[i + 2] = static_cast<std::uint8_t>(runs ? 6 + bytes[i + 2] % 7
                                                    : bytes[i + 2] % 12);
    }
    CHECK(test::broken_lease_law_in(bytes) == "");
  }
}

TEST_CASE("a lease book obeys all of its laws in long sequences of events") {
  for (std::uint64_t seed = 0; seed < (test::sanitized() ? 15 : 150); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 engine{seed};
    auto bytes = drawn_bytes(900, engine);
    CHECK(test::broken_lease_law_in(bytes) == "");
  }
}

TEST_CASE(
  "a lease book obeys all of its laws if flows are paused and limited") {
  constexpr std::uint8_t lines_of_flows = 1;
  for (std::uint64_t seed = 0; seed < (test::sanitized() ? 60 : 600); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 engine{seed};
    auto bytes = drawn_bytes(602, engine);
    bytes[1] = lines_of_flows;
    for (std::size_t i = 2; i < bytes.size(); i += 3) {
      auto draw = engine() % 32;
      if (draw == 0) { // pauses or limits a flow
        bytes[i] = 6;
        bytes[i + 2] = static_cast<std::uint8_t>(bytes[i + 2] / 4 * 4 + 1);
      } else if (draw < 22) {
        bytes[i] = 7; // a worker runs a message
        bytes[i + 2] %= 10;
      } else if (draw < 28) {
        bytes[i] = 0; // messages arrive
      }
    }
    CHECK(test::broken_lease_law_in(bytes) == "");
  }
}
