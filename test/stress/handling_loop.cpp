/// Facts that several threads tell at a time.

#include "in_threads.hpp"
#include "support/handling_owner.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

TEST_CASE("each event that threads report is handled once, and the events of "
          "one thread are handled in order") {
  constexpr auto threads = 4;
  constexpr auto each = 20000;
  test::handling_owner owner;
  owner.during = [&owner](int x) { owner.is_patient = x % 64 != 0; };
  test::in_threads(threads, [&owner](unsigned me) {
    for (auto i = 0; i < each; ++i) {
      auto x = i * threads + static_cast<int>(me);
      i % 3 == 0 ? owner.tell(x) : owner.put_down(x);
    }
  });
  owner.tell(threads * each); // takes what waits
  REQUIRE(owner.seen.size() == std::size_t{threads} * each + 1);
  std::vector<int> next(threads, 0);
  for (auto x : owner.seen)
    if (x < threads * each) {
      auto& expected = next[static_cast<std::size_t>(x % threads)];
      CHECK(x / threads == expected);
      ++expected;
    }
}
