/// The placements that draw workers: random and power_of_two_choices.

#include "libpool/policies/placement/random.hpp"
#include "libpool/policies/placement/power_of_two_choices.hpp"
#include "support/chi_squared.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace random_tests {

using test::policy_world;
using names = policy_world::names;
using namespace std::chrono_literals;

namespace {

template <class Placement>
struct drawing_world : policy_world {
  drawing_world(std::uint64_t seed, std::size_t size)
    : policy_world(std::make_unique<Placement>(seed)) {
    join_all(size);
  }

  /// How many tasks of many each worker of `some` gets; no other gets one.
  std::vector<double> counts(const names& some,
                             libpool::restriction* where = nullptr) {
    std::vector<double> all(workers.size());
    for (auto i = 0; i < draws; ++i) {
      auto& task = add();
      task.own_notes().where = where;
      ++all.at(serve(task, 0ns));
    }
    std::vector<double> result;
    for (auto each : some)
      result.push_back(all[each]);
    CHECK(std::accumulate(result.begin(), result.end(), 0.0) == draws);
    return result;
  }

  names in_flight() const {
    names result;
    for (const auto& worker : workers)
      result.push_back(worker.in_flight);
    return result;
  }

  static constexpr auto draws = 20000;
};

using random_world = drawing_world<libpool::random>;
using choices_world = drawing_world<libpool::power_of_two_choices>;

const std::vector<std::uint64_t> seeds{0, 1, 2, 42};

void check_even(const std::vector<double>& counts) {
  CHECK(test::chi_squared(counts) < test::once_in_a_million(counts.size()));
}

} // namespace

TEST_CASE("the placement 'random' draws each worker equally often, also among "
          "permitted workers, and after workers have left and joined") {
  for (auto seed : seeds) {
    CAPTURE(seed);
    check_even(random_world{seed, 2}.counts({0, 1}));
    check_even(random_world{seed, 3}.counts({0, 1, 2}));
    check_even(random_world{seed, 7}.counts({0, 1, 2, 3, 4, 5, 6}));
    random_world restricted{seed, 6};
    check_even(restricted.counts({1, 2, 5}, &restricted.only_on({1, 2, 5})));
    random_world changed{seed, 5};
    changed.retire(0);
    changed.retire(3);
    changed.join();
    check_even(changed.counts({1, 2, 4, 5}));
  }
}

// -- the better of two --------------------------------------------------------

// Both of two workers are always drawn.
TEST_CASE("of the two workers that power_of_two_choices draws, the tie rule "
          "chooses one: first by tasks in flight, then by the last choice") {
  choices_world w{1, 2};
  CHECK(w.serve_all(3, 1ns) == names{0, 1, 0});
  w.sample(0, 1ns);
  CHECK(w.serve(1ns) == 1);
  for (auto seed : seeds) {
    CAPTURE(seed);
    choices_world v{seed, 6};
    auto& where = v.only_on({1, 4});
    for (std::size_t i = 1; i <= 100; ++i) {
      auto& task = v.add();
      task.own_notes().where = &where;
      v.submit(task);
      CHECK(v.in_flight() == names{0, (i + 1) / 2, 0, 0, i / 2, 0});
    }
  }
}

TEST_CASE("in a pool with one worker, power_of_two_choices always chooses this "
          "worker") {
  choices_world w{1, 1};
  CHECK(w.submit_all(3) == names{0, 0, 0});
  CHECK(w.submit_only({0}) == 0);
}

TEST_CASE("every pair of workers is drawn equally often, so that the worker "
          "with the most tasks is never chosen") {
  // With i tasks on worker i, the smaller one of two is chosen: that is worker
  // i for n-1-i of the n(n-1)/2 pairs.
  constexpr std::size_t n = 5;
  for (auto seed : seeds) {
    CAPTURE(seed);
    choices_world w{seed, n};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        w.submit_only({i});
    auto per_pair = w.counts({0, 1, 2, 3});
    // Chi-squared of counts whose expectations are 4, 3, 2 and 1 tenths.
    auto sum = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      auto expected = choices_world::draws * static_cast<double>(n - 1 - i)
                      / 10;
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
    w.submit_all(64 * 16);
    auto counts = w.in_flight();
    CHECK(*std::max_element(counts.begin(), counts.end()) <= 16 + 4);
  }
}

} // namespace random_tests
