#include "libpool/policies/random_draws.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <cmath>
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

/// How far `counts` are from equal: Pearson's chi-squared.
double chi_squared(const std::vector<double>& counts, double expected) {
  auto result = 0.0;
  for (auto count : counts)
    result += (count - expected) * (count - expected) / expected;
  return result;
}

/// The value that chi-squared exceeds by chance once in a million times: z =
/// 4.75 in the approximation of Wilson and Hilferty (1931), which is too lax by
/// a sixth with one degree of freedom and exact to a percent from five on.
double once_in_a_million(double degrees) {
  auto spread = 2 / (9 * degrees);
  return degrees * std::pow(1 - spread + 4.75 * std::sqrt(spread), 3);
}

} // namespace

TEST_CASE("each number below a bound is drawn equally often") {
  constexpr auto draws = 100000;
  for (std::size_t size : {2U, 3U, 7U, 64U, 1000U})
    for (std::uint64_t seed : {0U, 1U, 2U, 42U}) {
      CAPTURE(size);
      CAPTURE(seed);
      random_draws random{seed};
      std::vector<double> counts(size);
      for (auto i = 0; i < draws; ++i)
        ++counts.at(random.below(size));
      auto cells = static_cast<double>(size);
      CHECK(chi_squared(counts, draws / cells) < once_in_a_million(cells - 1));
    }
}

TEST_CASE("two successive draws give each pair of numbers equally often") {
  constexpr auto pairs = 100000;
  constexpr std::size_t size = 8;
  for (std::uint64_t seed : {0U, 1U, 2U, 42U}) {
    CAPTURE(seed);
    random_draws random{seed};
    std::vector<double> counts(size * size);
    for (auto i = 0; i < pairs; ++i) {
      auto first = random.below(size);
      ++counts.at(first * size + random.below(size));
    }
    CHECK(chi_squared(counts, pairs / 64.0) < once_in_a_million(63));
  }
}

TEST_CASE("a number drawn below 1 is 0") {
  random_draws random{7};
  for (auto i = 0; i < 1000; ++i)
    CHECK(random.below(1) == 0);
}

TEST_CASE("about half of the numbers drawn below a very large bound are in the "
          "upper half of the range") {
  random_draws random{7};
  constexpr std::size_t size = std::size_t{1} << 63;
  auto upper = 0;
  for (auto i = 0; i < 1000; ++i) {
    auto number = random.below(size);
    CHECK(number < size);
    upper += number >= size / 2 ? 1 : 0;
  }
  // 500 are expected, with a standard deviation of 16.
  CHECK(upper > 400);
  CHECK(upper < 600);
}

TEST_CASE("equal seeds draw the same numbers") {
  for (std::uint64_t seed : {0U, 1U, 42U}) {
    random_draws a{seed};
    random_draws b{seed};
    CHECK(draw(a) == draw(b));
  }
}

TEST_CASE("a generator that only one thread uses gives the same numbers, "
          "whichever thread that is") {
  random_draws here{42};
  random_draws there{42};
  trace numbers;
  other_thread other;
  other.does([&] { numbers = draw(there); });
  CHECK(numbers == draw(here));
}

TEST_CASE("different seeds draw different numbers") {
  std::set<std::uint64_t> numbers;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    random_draws random{seed};
    for (auto number : draw(random, 10))
      numbers.insert(number);
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

TEST_CASE("two threads that share a generator draw different numbers") {
  other_thread other;
  random_draws random{42};
  auto mine = draw(random, 1000);
  trace others;
  other.does([&] { others = draw(random, 1000); });
  std::set<std::uint64_t> numbers(mine.begin(), mine.end());
  numbers.insert(others.begin(), others.end());
  CHECK(numbers.size() == 2000);
  SUBCASE("a thread draws the numbers that it would draw alone") {
    random_draws alone{42};
    draw(alone, 1000);
    CHECK(draw(random) == draw(alone));
  }
}
