#include "libpool/policies/turns.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <thread>

TEST_CASE("threads that share turns give each position as many as any other") {
  constexpr std::size_t size = 7;
  constexpr auto rounds = 100001; // by each thread, no multiple of the size
  using counts = std::array<int, size>;
  libpool::turns shared;
  auto count = [&shared](counts& mine) {
    for (auto i = 0; i < rounds; ++i)
      ++mine[shared.next(size)];
  };
  std::array<counts, 2> counted{};
  std::thread other{[&] { count(counted[1]); }};
  count(counted[0]);
  other.join();
  // 200002 turns are 28571 rounds of seven and 5 more.
  for (std::size_t i = 0; i < size; ++i)
    CHECK(counted[0][i] + counted[1][i] == (i < 5 ? 28572 : 28571));
}
