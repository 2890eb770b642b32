/// The laws of every plan of the catalogue, and of plans of one's own.

#include "gather_run.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/gather/hedged.hpp"
#include "median_of_five.hpp"
#include "support/asking_again.hpp"
#include "support/giving_options.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t seeds = 40;

/// Options that come to bear in a short life.
std::unique_ptr<libpool::gather_plan> drawn_plan(std::string_view name,
                                                 std::uint64_t seed) {
  libpool::chosen<libpool::gather_plan> result{name};
  auto give = [&](std::string_view option, auto value) {
    test::give(result, option, value);
  };
  auto asked = 1 + seed % 5;
  give("asked", asked);
  give("needed", 1 + seed / 5 % asked);
  if (seed % 2 == 1)
    give("timeout", libpool::duration{40});
  give("join_what_came", seed % 3 == 1);
  give("after", seed % 4 < 2 ? libpool::hedge_delay{libpool::duration{15}}
                             : libpool::hedge_delay{libpool::percentile{50}});
  give("budget", seed % 8 < 4 ? 100. : 20.);
  return result.make();
}

struct named_plan {
  std::string name;
  test::make_plan make;
};

std::vector<named_plan> all_plans(std::uint64_t seed) {
  std::vector<named_plan> result;
  for (const auto& entry : libpool::gathering_policies())
    result.push_back({std::string{entry.name},
                      [&entry, seed] { return drawn_plan(entry.name, seed); }});
  result.push_back({"median_of_five", [] { // as in examples/
                      return std::make_unique<median_of_five>(30ns);
                    }});
  result.push_back(
    {"asking_again", [] { return std::make_unique<test::asking_again>(); }});
  return result;
}

/// Calls `check` with each plan and each seed.
template <class Check>
void for_each_plan(Check check) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (const auto& plan : all_plans(seed)) {
      CAPTURE(plan.name);
      CAPTURE(seed);
      check(plan, seed);
    }
}

} // namespace

TEST_CASE(
  "each gather plan, the rule by which one message is handled by "
  "several tasks, obeys its laws for any events, which include answers, "
  "failures and, if the plan allows, later requests") {
  std::map<std::string, test::gather_outcome> sums;
  for_each_plan([&](const named_plan& plan, std::uint64_t seed) {
    auto outcome = test::run_gather(plan.make, seed);
    CHECK(outcome.broken == "");
    CHECK(outcome.answered + outcome.failed > 100); // it has lived
    auto& sum = sums[plan.name];
    sum.answered += outcome.answered;
    sum.failed += outcome.failed;
    sum.asked_later += outcome.asked_later;
  });
  for (const auto& each : all_plans(0)) {
    CAPTURE(each.name);
    const auto& sum = sums[each.name];
    auto plan = each.make();
    auto may_ask = plan->asks().asks_more || plan->has_patience();
    CHECK(sum.answered > 1000);
    CHECK(sum.failed > 100);
    CHECK((sum.asked_later > 100) == may_ask);
  }
}

TEST_CASE("a gather plan makes the same decisions whenever the sequence of "
          "events is the same, also with votes that are used again for the "
          "next message") {
  for_each_plan([](const named_plan& plan, std::uint64_t seed) {
    auto first = test::run_gather(plan.make, seed);
    CHECK(first.trace == test::run_gather(plan.make, seed).trace);
    CHECK(first.trace != test::run_gather(plan.make, seed + 1).trace);
    auto always_new = test::run_gather(plan.make, seed, test::votes_are::made);
    CHECK(first.trace == always_new.trace);
  });
}

TEST_CASE("a clone of a gather plan that has been used decides in the same way "
          "as a new plan") {
  for_each_plan([](const named_plan& plan, std::uint64_t seed) {
    auto served = plan.make();
    for (auto i = 0; i < 1000; ++i) {
      served->message_came();
      served->asked_another();
      served->first_answered(1ns);
    }
    auto cloned = [&] { return served->clone(); };
    CHECK(test::run_gather(plan.make, seed).trace
          == test::run_gather(cloned, seed).trace);
  });
}

TEST_CASE("the gather plan 'hedged' sends a message to a second worker at most "
          "as often as its budget allows") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (auto budget : {1., 5., 30., 100.}) {
      CAPTURE(seed);
      CAPTURE(budget);
      auto make = [budget = budget] {
        return std::make_unique<libpool::hedged>(
          libpool::hedged_options{5ns, budget});
      };
      auto outcome = test::run_gather(make, seed);
      CHECK(outcome.asked_again <= budget);
      CHECK(outcome.asked_later > 0);
    }
}
