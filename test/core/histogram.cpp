#include "libpool/core/histogram.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

using libpool::duration;
using libpool::histogram;
using namespace std::chrono_literals;

namespace {

using durations = std::vector<duration>;

constexpr duration most{std::int64_t{1} << 42};

histogram of(const durations& all) {
  histogram result;
  for (auto value : all)
    result.record(value);
  return result;
}

/// A duration of any order of magnitude, also beyond the bounds of the
/// histogram.
rc::Gen<duration> any_duration() {
  return rc::gen::map(
    rc::gen::pair(rc::gen::resize(100, rc::gen::inRange(0, 44)),
                  rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())),
    [](auto drawn) {
      auto mask = (std::uint64_t{1} << drawn.first) - 1;
      return duration{static_cast<std::int64_t>(drawn.second & mask)};
    });
}

/// The smallest duration that at least `sixteenths` sixteenths of all durations
/// do not exceed.
duration exact(durations all, std::size_t sixteenths) {
  std::sort(all.begin(), all.end());
  auto rank = std::max(std::size_t{1}, (all.size() * sixteenths + 15) / 16);
  return std::min(all[rank - 1], most);
}

} // namespace

TEST_CASE("percentiles of no durations are zero, and those of short durations "
          "are exact") {
  // A scan that goes too far in the first one comes to the second one.
  const std::array<histogram, 2> both{histogram{}, of({1ns, 2ns})};
  CHECK(both[0].count() == 0);
  for (auto percent : {0, 50, 100})
    CHECK(both[0].percentile(percent) == 0ns);
  for (auto ns = 0; ns < 32; ++ns)
    CHECK(of({duration{ns}}).percentile(50) == duration{ns});
}

TEST_CASE("a duration outside the bounds counts as the nearest bound") {
  CHECK(of({-1ns}).percentile(50) == 0ns);
  CHECK(of({duration::min()}).percentile(50) == 0ns);
  CHECK(of({most - 1ns}).percentile(50) == most - 1ns);
  CHECK(of({most}).percentile(50) == most);
  CHECK(of({most + 1ns}).percentile(50) == most);
  CHECK(of({duration::max()}).percentile(50) == most);
}

TEST_CASE("a duration is reported at most 1/16 too long, and never too short") {
  for (auto power = 0; power <= 42; ++power)
    for (auto off : {-1, 0, 1}) {
      auto recorded = duration{(std::int64_t{1} << power) + off};
      CAPTURE(recorded.count());
      auto told = of({recorded}).percentile(100);
      CHECK(told >= std::min(recorded, most));
      CHECK(told <= recorded + recorded / 16);
    }
}

TEST_CASE(
  "percentiles are at most 1/16 above the recorded durations, never below") {
  CHECK(
    rc::check("percentiles are at most 1/16 above those of a sorted list", [] {
      auto all =
        *rc::gen::nonEmpty(rc::gen::container<durations>(any_duration()));
      auto sixteenths = *rc::gen::resize(
        100, rc::gen::inRange(std::size_t{0}, std::size_t{17}));
      auto told = of(all).percentile(static_cast<double>(sixteenths) * 6.25);
      auto wanted = exact(all, sixteenths);
      RC_ASSERT(told >= wanted);
      RC_ASSERT(told <= wanted + wanted / 16);
    }));
}

TEST_CASE("a sum of histograms equals one histogram of all durations, and the "
          "difference of two snapshots has the durations recorded in between") {
  CHECK(rc::check("sums and differences are those of the durations", [] {
    auto some = *rc::gen::container<durations>(any_duration());
    auto more = *rc::gen::container<durations>(any_duration());
    auto sum = of(some);
    sum.add(of(more));
    auto all = some;
    all.insert(all.end(), more.begin(), more.end());
    auto whole = of(all);
    RC_ASSERT(sum.count() == all.size());
    for (auto percent : {0, 1, 25, 50, 90, 99, 100})
      RC_ASSERT(sum.percentile(percent) == whole.percentile(percent));
    auto between = whole.since(of(some));
    RC_ASSERT(between.count() == more.size());
    RC_ASSERT(between.counts() == of(more).counts());
  }));
}

TEST_CASE("a histogram counts durations below a power of two exactly") {
  CHECK(rc::check("counts below powers of two are exact", [] {
    auto all = *rc::gen::container<durations>(any_duration());
    auto exponent = *rc::gen::inRange(0U, 44U);
    auto bound = std::min(duration{std::int64_t{1} << exponent}, most);
    auto below = std::count_if(all.begin(), all.end(),
                               [&](duration each) { return each < bound; });
    RC_ASSERT(of(all).count_below(exponent)
              == static_cast<std::uint64_t>(below));
  }));
}
