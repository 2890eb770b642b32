#include "libpool/policies/random_draws.hpp"
#include "support/chi_squared.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

using libpool::random_draws;
using test::other_thread;

namespace {

using trace = std::vector<std::uint64_t>;

trace draw(random_draws& from, std::size_t count = 100) {
  trace result(count);
  for (auto& number : result)
    number = from.next();
  return result;
}

} // namespace

TEST_CASE("each number below a bound is drawn equally often, and two "
          "successive draws give each pair of numbers equally often") {
  constexpr auto draws = 100000;
  for (std::size_t size : {2U, 3U, 7U, 64U, 1000U})
    for (std::uint64_t seed : {0U, 1U, 2U, 42U}) {
      CAPTURE(size);
      CAPTURE(seed);
      random_draws random{seed};
      std::vector<double> counts(size);
      std::vector<double> pairs(64);
      for (auto i = 0; i < draws; ++i) {
        ++counts.at(random.below(size));
        auto first = random.below(8);
        ++pairs.at(8 * first + random.below(8));
      }
      CHECK(test::chi_squared(counts) < test::once_in_a_million(size));
      CHECK(test::chi_squared(pairs) < test::once_in_a_million(64));
    }
}

TEST_CASE("a number drawn below 1 is 0, and about half of the numbers drawn "
          "below a very large bound are in the upper half of the range") {
  random_draws random{7};
  constexpr std::size_t size = std::size_t{1} << 63;
  auto upper = 0;
  for (auto i = 0; i < 1000; ++i) {
    CHECK(random.below(1) == 0);
    auto number = random.below(size);
    CHECK(number < size);
    upper += number >= size / 2 ? 1 : 0;
  }
  // 500 are expected, with a standard deviation of 16.
  CHECK(upper > 400);
  CHECK(upper < 600);
}

TEST_CASE("equal seeds draw the same numbers, whichever thread draws, and "
          "different seeds draw different numbers") {
  std::set<std::uint64_t> numbers;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    random_draws here{seed};
    random_draws there{seed};
    trace drawn;
    other_thread other;
    other.does([&] { drawn = draw(there, 10); });
    CHECK(drawn == draw(here, 10));
    numbers.insert(drawn.begin(), drawn.end());
  }
  CHECK(numbers.size() == 1000);
}

TEST_CASE("a copy of a generator starts again with the first number") {
  random_draws original{42};
  auto numbers = draw(original);
  auto copy = original;
  CHECK(draw(copy) == numbers);
  CHECK(draw(original) != numbers);
}

TEST_CASE("two threads that share a generator draw different numbers, each the "
          "numbers that it would draw alone") {
  other_thread other;
  random_draws random{42};
  auto mine = draw(random, 1000);
  trace others;
  other.does([&] { others = draw(random, 1000); });
  std::set<std::uint64_t> numbers(mine.begin(), mine.end());
  numbers.insert(others.begin(), others.end());
  CHECK(numbers.size() == 2000);
  random_draws alone{42};
  CHECK(draw(alone, 1000) == mine);
  CHECK(draw(random) == draw(alone));
}
