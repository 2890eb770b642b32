/// The laws of every placement and every order of the catalogue.

#include "libpool/policies/catalogue.hpp"
#include "support/fact_sequence.hpp"
#include "support/giving_options.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using libpool::assignment;
using libpool::recipe;
using test::settings;
using test::time_units;

namespace {

constexpr std::uint64_t seeds = test::sanitized() ? 1 : 6;
constexpr std::size_t facts = test::sanitized() ? 1700 : 6800;

std::string name_of(const recipe& how) {
  return std::string{how.order.name()} + ", "
         + std::string{how.placement.name()}
         + (how.assignment == assignment::lazy ? ", lazy" : ", eager");
}

/// Each order with each placement, bound as both allow.
std::vector<recipe> all_recipes() {
  std::vector<recipe> result;
  for (const auto& order : libpool::orders())
    for (const auto& placement : libpool::placements())
      for (auto when : {assignment::eager, assignment::lazy})
        if (order.needs.value_or(when) == when
            && placement.needs.value_or(when) == when) {
          recipe how;
          how.order = order.name;
          how.placement = placement.name;
          how.assignment = when;
          result.push_back(how);
        }
  return result;
}

/// Options that come to bear in a short life.
libpool::chosen<libpool::placement> with_options(std::string_view name,
                                                 std::uint64_t seed) {
  libpool::chosen<libpool::placement> result{name};
  auto give = [&](std::string_view option, auto value) {
    test::give(result, option, value);
  };
  give("seed", seed);
  give("probe_every", seed % 3);
  give("history", 1 + seed % 4);
  give("decay", time_units(100));
  give("floor", time_units(1));
  give("failure_penalty", time_units(50));
  if (seed % 2 == 1)
    give("initial_estimate", time_units(5));
  if (seed % 4 == 2)
    give("statistic", std::string_view{"median"});
  if (seed % 5 == 3)
    give("measure", std::string_view{"cpu_time"});
  if (seed % 5 == 4)
    give("measure", std::string_view{"wait_time"});
  return result;
}

settings settings_of(const recipe& how, std::uint64_t seed) {
  settings result;
  result.placement = with_options(how.placement.name(), seed);
  result.when = *how.assignment;
  result.within.retries = 2;
  result.by_priority = how.order.name() == "priority";
  result.age_step = time_units(10);
  result.by_flows = result.parts_flows = how.order.name() == "fair_queuing";
  result.weighs = result.placement.entry().asks == libpool::asked::weight
                  && seed % 2 == 0;
  result.holds_keys = how.placement.name() == "consistent_hash";
  result.windows = {1, 2, 3, 1};
  result.seats = {2, 1, 3, 1};
  result.joined = 2;
  return result;
}

test::fact_outcome lived(const recipe& how, std::uint64_t seed) {
  return test::live_through(settings_of(how, seed),
                            test::likely_facts(seed, facts));
}

} // namespace

TEST_CASE("each placement, the rule that chooses the worker for a task, obeys "
          "its laws for any sequence of events") {
  for (const auto& how : all_recipes())
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      CAPTURE(name_of(how));
      CAPTURE(seed);
      auto outcome = lived(how, seed);
      CHECK(outcome.broken == "");
      // It has lived: of the tasks that were submitted, some two in nine
      // facts, more than an eighth are done.
      CHECK(outcome.completed > facts / 34);
    }
}

TEST_CASE(
  "equal seeds give equal traces, and different seeds give different traces") {
  for (const auto& how : all_recipes()) {
    CAPTURE(name_of(how));
    auto first = lived(how, 1);
    auto second = lived(how, 1);
    auto other = lived(how, 2);
    CHECK(first.sends == second.sends);
    CHECK(first.sends != other.sends);
  }
}
