/// Mode exact beside a plain model, step by step, and clocks that wrap around.

#include "support/drawn_facts.hpp"
#include "support/fact_sequence.hpp"
#include "support/fair_order.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

using libpool::duration;
using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::virtual_time;

namespace {

/// Tasks of up to 8 flows, many of which wait, as workers come and go.
test::settings settings_of(const fair_queuing_options& how,
                           virtual_time start) {
  test::settings result;
  result.tasks = 40;
  result.workers = 6;
  for (std::size_t i = 0; i < result.workers; ++i)
    result.seats[i] = *rc::gen::inRange<std::size_t>(1, 4);
  result.within.retries = 2;
  result.by_flows = true;
  result.parts_flows = how.mode == fair_mode::exact;
  result.flows = how;
  result.start = start;
  result.joined = 3;
  return result;
}

constexpr std::size_t facts = 1000; // in each of 100 lives

void check_by_model(const fair_queuing_options& how, virtual_time start = {}) {
  auto seed = *rc::gen::arbitrary<std::uint64_t>();
  test::check_life(settings_of(how, start), test::likely_facts(seed, facts));
}

/// Checks that a clock that starts then changes no choice.
void check_start(const fair_queuing_options& how, virtual_time start) {
  auto all = test::likely_facts(*rc::gen::arbitrary<std::uint64_t>(), facts);
  auto settings = settings_of(how, {});
  auto expected = live_through(settings, all);
  settings.start = start;
  auto outcome = live_through(settings, all);
  RC_ASSERT(expected.broken == "");
  RC_ASSERT(outcome.broken == "");
  RC_ASSERT(outcome.sends == expected.sends);
}

/// A unit of time, so that there are ties, or not.
duration some_guess() {
  return duration{*rc::gen::element(7, 10, 10, 25)};
}

fair_queuing_options kubernetes() {
  auto result = test::guessing(some_guess(), fair_mode::kubernetes);
  result.queues = *rc::gen::element<std::size_t>(1, 3, 8, 64);
  result.hand_size = *rc::gen::inRange<std::size_t>(
    1, std::min<std::size_t>(result.queues, 8) + 1);
  return result;
}

fair_queuing_options exact() {
  auto result = test::guessing(some_guess());
  result.debt_memory = duration{300};
  return result;
}

/// So near the end of the clock that any run passes it.
constexpr virtual_time before_the_wrap{std::numeric_limits<std::uint64_t>::max()
                                       - 50};

/// So near the end of the numbers with a sign.
constexpr virtual_time before_the_sign{std::numeric_limits<std::int64_t>::max()
                                       - 50};

} // namespace

TEST_CASE("fair queuing in mode 'exact' sends the same task as a plain model "
          "that searches all flows") {
  CHECK(rc::check("mode exact behaves like a scan",
                  [] { check_by_model(exact()); }));
}

TEST_CASE(
  "mode exact with shares sends the task that a scan of all flows finds") {
  CHECK(rc::check("mode exact with shares behaves like a scan", [] {
    auto how = exact();
    for (auto flow : {0, 1, 2, 3, 4})
      how.shares[std::to_string(flow)] = *rc::gen::element(0.3, 0.5, 2.0, 7.0);
    check_by_model(how);
  }));
}

// The clock of the model starts at 0.
TEST_CASE(
  "fair queuing chooses the same tasks when its virtual clock wraps around") {
  for (auto start : {before_the_wrap, before_the_sign}) {
    CHECK(
      rc::check("mode exact behaves like a scan when the clock wraps around",
                [start] { check_by_model(exact(), start); }));
    CHECK(rc::check(
      "mode kubernetes chooses the same tasks when the clock wraps around",
      [start] { check_start(kubernetes(), start); }));
  }
}
