/// Statistics of samples, against plain computations of them.

#include "libpool/core/ewma.hpp"
#include "libpool/core/kind_estimates.hpp"
#include "libpool/core/moving_mean.hpp"
#include "libpool/core/moving_median.hpp"
#include "support/allocations.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using libpool::duration;
using libpool::ewma;
using libpool::kind_estimates;
using libpool::moving_mean;
using libpool::moving_median;
using namespace std::chrono_literals;

namespace {

using durations = std::vector<duration>;

/// The last of `all` that count.
durations last_of(const durations& all, std::size_t history) {
  auto size = std::min(all.size(), history);
  return {all.end() - static_cast<std::ptrdiff_t>(size), all.end()};
}

duration plain_mean(const durations& all) {
  duration sum{0};
  for (auto value : all)
    sum += value;
  return sum / static_cast<duration::rep>(all.size());
}

/// The median; of an even number, the lower one in the middle.
duration plain_median(durations all) {
  std::sort(all.begin(), all.end());
  return all[(all.size() - 1) / 2];
}

/// One to a few hundred samples, so that also the longest history is exceeded.
durations any_samples() {
  auto longest = *rc::gen::element<std::int64_t>(2, 10, 1000, 3600000000000);
  auto size = *rc::gen::resize(
    100, rc::gen::element<std::size_t>(1, 2, 3, 4, 5, 30, 386, 387, 900));
  auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  // Drawn here, since RapidCheck takes long to draw values one by one.
  durations result;
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    result.emplace_back(static_cast<std::int64_t>(state >> 20U) % longest);
  }
  return result;
}

std::size_t any_history() {
  return *rc::gen::element<std::size_t>(1, 2, 3, 4, 5, 16, 386);
}

} // namespace

TEST_CASE("a moving mean is the mean of the last samples, rounded down, and a "
          "moving median is their lower median") {
  CHECK(rc::check("moving statistics equal those of the last samples", [] {
    auto history = any_history();
    moving_mean mean{history};
    moving_median median{history};
    RC_ASSERT(mean.empty());
    RC_ASSERT(median.empty());
    durations so_far;
    for (auto sample : any_samples()) {
      mean.add(sample);
      median.add(sample);
      so_far.push_back(sample);
      RC_ASSERT(!mean.empty());
      RC_ASSERT(!median.empty());
      RC_ASSERT(mean.value() == plain_mean(last_of(so_far, history)));
      RC_ASSERT(median.value() == plain_median(last_of(so_far, history)));
    }
  }));
}

TEST_CASE("a moving median is correct for rising, falling and equal samples") {
  for (std::size_t history : {1U, 2U, 3U, 4U, 386U}) {
    CAPTURE(history);
    moving_median rising{history};
    moving_median falling{history};
    moving_median equal{history};
    durations up;
    durations down;
    for (auto i = 0; i < 1000; ++i) {
      rising.add(up.emplace_back(i));
      falling.add(down.emplace_back(1000 - i));
      equal.add(7ns);
      CHECK(rising.value() == plain_median(last_of(up, history)));
      CHECK(falling.value() == plain_median(last_of(down, history)));
      CHECK(equal.value() == 7ns);
    }
  }
}

TEST_CASE("an exponential average gives a new sample the weight alpha") {
  // 100; 100 + 0.25 · (20 - 100) = 80; 80 + 0.25 · (0 - 80) = 60.
  ewma average{0.25};
  CHECK(average.empty());
  average.add(100ns);
  CHECK_FALSE(average.empty());
  CHECK(average.value() == 100ns);
  average.add(20ns);
  CHECK(average.value() == 80ns);
  average.add(0ns);
  CHECK(average.value() == 60ns);
}

TEST_CASE("an exponential average is a weighted sum of all samples") {
  CHECK(rc::check("an exponential average equals a weighted sum", [] {
    auto alpha = *rc::gen::element(0.01, 0.25, 0.5, 1.0);
    auto all = any_samples();
    ewma average{alpha};
    for (auto sample : all)
      average.add(sample);
    // The last one counts alpha, the one before it alpha · (1 - alpha), and so
    // on; the first one all that is left.
    auto sum = 0.0;
    auto left = 1.0;
    for (auto i = all.size(); i-- > 1;) {
      sum += left * alpha * static_cast<double>(all[i].count());
      left *= 1 - alpha;
    }
    sum += left * static_cast<double>(all[0].count());
    // Rounded down, and 900 roundings of doubles.
    auto told = static_cast<double>(average.value().count());
    constexpr auto error = 1e-12 * 3.6e12; // of an hour
    RC_ASSERT(std::abs(told - sum) <= 1 + error);
    auto [least, most] = std::minmax_element(all.begin(), all.end());
    RC_ASSERT(average.value() >= std::max(0ns, *least - 1ns));
    RC_ASSERT(average.value() <= *most);
    RC_ASSERT(alpha < 1 || average.value() == all.back());
  }));
}

TEST_CASE("statistics allocate no memory after construction") {
  for (std::size_t history : {1U, 2U, 386U}) {
    CAPTURE(history);
    moving_mean mean{history};
    moving_median median{history};
    ewma average{0.25};
    auto before = test::allocations();
    for (auto i = 0; i < 2000; ++i) {
      mean.add(duration{i * 7919 % 1000});
      median.add(duration{i * 7919 % 1000});
      average.add(duration{i});
    }
    auto value = mean.value() + median.value() + average.value();
    auto after = test::allocations();
    CHECK(after == before);
    CHECK(value > 0ns);
  }
  auto before = test::allocations();
  moving_mean counted{386};
  CHECK(test::allocations() > before); // they are counted
}

// -- estimates by kind --------------------------------------------------------

TEST_CASE("a lowered estimate of a kind rises to its value before with the "
          "next long task, and stays low after a short one") {
  kind_estimates all{0.5, 0ns};
  auto lower_twice = [&] {
    all.lower(1); // by an eighth, rounded up
    all.lower(1);
  };
  all.add(1, 80ns);
  lower_twice();
  CHECK(all.of_kind(1) == 61ns);
  all.add(1, 100ns); // 80 and 100
  CHECK(all.of_kind(1) == 90ns);
  lower_twice();
  all.add(1, 20ns); // 68 and 20
  CHECK(all.of_kind(1) == 44ns);
  lower_twice();
  CHECK(all.of_kind(1) == 33ns);
  all.add(1, 40ns); // between 33 and 44
  CHECK(all.of_kind(1) == 40ns);
}

TEST_CASE("a stopped task raises the estimate of its kind, or leaves it as it "
          "was") {
  kind_estimates all{0.5, 0ns};
  all.add_stopped(1, 40ns);
  CHECK(all.of_kind(1) == 40ns);
  all.add_stopped(1, 10ns);
  CHECK(all.of_kind(1) == 40ns);
  all.add_stopped(1, 60ns);
  CHECK(all.of_kind(1) == 50ns);
  all.lower(1);
  CHECK(all.of_kind(1) == 43ns);
  all.add_stopped(1, 10ns);
  CHECK(all.of_kind(1) == 50ns);
}

TEST_CASE("the estimate of a kind without ended tasks can be lowered, and the "
          "first task that ends sets it") {
  kind_estimates all{0.5, 0ns};
  all.lower(1);
  CHECK(all.of_kind(1) == 0ns);
  all.add(1, 80ns);
  all.lower(2);
  CHECK(all.of_kind(1) == 80ns);
  CHECK(all.of_kind(2) == 70ns);
  CHECK(all.of_kind(3) == 75ns); // the mean of both
  all.add(2, 30ns);
  CHECK(all.of_kind(2) == 30ns);
  CHECK(all.of_kind(3) == 55ns);
}
