#include "libpool/policies/power_of_two_choices.hpp"
#include "support/chi_squared.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

using libpool::power_of_two_choices;
using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

namespace {

constexpr auto draws = 20000;
const std::vector<std::uint64_t> seeds{0, 1, 2, 42};

struct choices_world : placement_world {
  choices_world(std::uint64_t seed, std::size_t size)
    : placement_world(std::make_unique<power_of_two_choices>(seed)) {
    join_all(size);
  }

  /// How many tasks each one has.
  names in_flight() const {
    names result;
    for (const auto& worker : workers)
      result.push_back(worker.in_flight);
    return result;
  }
};

std::size_t spread(const names& counts) {
  return *std::max_element(counts.begin(), counts.end())
         - *std::min_element(counts.begin(), counts.end());
}

} // namespace

TEST_CASE(
  "among two workers, the worker with fewer tasks in flight is chosen") {
  for (auto seed : seeds) {
    CAPTURE(seed);
    choices_world w{seed, 2};
    for (auto i = 0; i < 100; ++i) {
      w.submit();
      CHECK(spread(w.in_flight()) == (i + 1) % 2);
    }
  }
}

TEST_CASE("among two equal workers, the worker that was chosen less recently "
          "is chosen") {
  // Both of two workers are always drawn: the one chosen less recently goes
  // first.
  choices_world w{1, 2};
  CHECK(w.serve(1ns) == 0);
  CHECK(w.serve(1ns) == 1);
  CHECK(w.serve(1ns) == 0);
  CHECK(w.submit_only({0}) == 0);
  w.finish(w.last());
  CHECK(w.serve(1ns) == 1);
}

TEST_CASE("the worker with the most tasks is never chosen") {
  for (auto seed : seeds) {
    CAPTURE(seed);
    choices_world w{seed, 5};
    w.submit_only({3});
    for (auto i = 0; i < 1000; ++i)
      CHECK(w.serve(1ns) != 3);
  }
}

TEST_CASE("every pair of workers is drawn equally often") {
  // With i tasks on worker i, the smaller one of two is chosen: that is worker
  // i for n-1-i of the n(n-1)/2 pairs.
  constexpr std::size_t n = 5;
  for (auto seed : seeds) {
    CAPTURE(seed);
    choices_world w{seed, n};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        w.submit_only({i});
    std::vector<double> per_pair(n);
    for (auto i = 0; i < draws; ++i)
      ++per_pair.at(w.serve(1ns));
    CHECK(per_pair.back() == 0);
    // Chi-squared of counts whose expectations are 4, 3, 2 and 1 tenths.
    auto sum = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      auto expected = draws * static_cast<double>(n - 1 - i) / 10;
      sum += std::pow(per_pair[i] - expected, 2) / expected;
    }
    CHECK(sum < test::once_in_a_million(n - 1));
  }
}

TEST_CASE("the tasks of a burst are spread evenly over the workers, to within "
          "a few tasks") {
  // The fullest has log log n / log 2 + O(1) more than the mean: with n = 64, 2
  // and a little; random draws would have some 12 more at 16 per worker.
  for (auto seed : seeds) {
    CAPTURE(seed);
    choices_world w{seed, 64};
    for (auto i = 0; i < 64 * 16; ++i)
      w.submit();
    auto counts = w.in_flight();
    CHECK(*std::max_element(counts.begin(), counts.end()) <= 16 + 4);
  }
}

TEST_CASE("in a pool with one worker, this worker is always chosen") {
  choices_world w{1, 1};
  CHECK(w.submit_all(3) == names{0, 0, 0});
  CHECK(w.submit_only({0}) == 0);
}

TEST_CASE("a restricted task goes to one of two workers drawn from its "
          "permitted workers") {
  choices_world w{1, 6};
  auto& where = w.only_on({1, 4});
  for (auto i = 0; i < 100; ++i) {
    auto& task = w.add();
    task.where = &where;
    w.submit(task);
    CHECK(w.workers[1].in_flight + w.workers[4].in_flight == w.tasks.size());
    CHECK(w.workers[1].in_flight - w.workers[4].in_flight
          == w.tasks.size() % 2);
  }
}

TEST_CASE("equal seeds draw the same workers, and different seeds draw "
          "different workers") {
  choices_world a{7, 5};
  choices_world b{7, 5};
  choices_world c{8, 5};
  auto drawn = a.submit_all(100);
  CHECK(drawn == b.submit_all(100));
  CHECK(drawn != c.submit_all(100));
}
