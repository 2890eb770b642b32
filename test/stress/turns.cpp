#include "libpool/policies/direct/turns.hpp"
#include "in_threads.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

TEST_CASE(
  "threads that share a round robin counter choose all positions equally "
  "often, to within one") {
  constexpr std::size_t size = 7;
  constexpr auto rounds = 1000000; // by each thread, no multiple of the size
  std::array<std::array<int, size>, 2> counted{};
  libpool::turns shared;
  test::in_threads(2, [&](unsigned me) {
    for (auto i = 0; i < rounds; ++i)
      ++counted[me][shared.next(size)];
  });
  // 2000000 turns are 285714 rounds of seven and 2 more.
  for (std::size_t i = 0; i < size; ++i)
    CHECK(counted[0][i] + counted[1][i] == (i < 2 ? 285715 : 285714));
}
