/// What holds for every placement and every order of the catalogue.

#include "libpool/policies/catalogue.hpp"
#include "support/giving_options.hpp"
#include "support/placement_run.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using libpool::assignment;
using libpool::duration;
using libpool::recipe;

namespace {

constexpr std::uint64_t seeds = 6;

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
          test::give(how.order, "age_step", duration{10});
          how.placement = placement.name;
          how.assignment = when;
          result.push_back(how);
        }
  return result;
}

/// Options that come to bear in a short life.
recipe with_options(recipe how, std::uint64_t seed) {
  auto give = [&](std::string_view option, auto value) {
    test::give(how.placement, option, value);
  };
  give("seed", seed);
  give("probe_every", seed % 3);
  give("history", 1 + seed % 4);
  give("decay", duration{100});
  give("floor", duration{1});
  give("failure_penalty", duration{50});
  if (seed % 2 == 1)
    give("initial_estimate", duration{5});
  if (seed % 4 == 2)
    give("statistic", std::string_view{"median"});
  if (seed % 5 == 3)
    give("measure", std::string_view{"cpu_time"});
  if (seed % 5 == 4)
    give("measure", std::string_view{"wait_time"});
  return how;
}

} // namespace

TEST_CASE("the laws of placements hold, whatever happens") {
  for (const auto& how : all_recipes())
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      CAPTURE(name_of(how));
      CAPTURE(seed);
      auto outcome = test::run_placement(with_options(how, seed), seed);
      CHECK(outcome.broken == "");
      // It has lived: of some 675 tasks a third and more has been done.
      CHECK(outcome.completed > 200);
    }
}

TEST_CASE(
  "equal seeds give equal traces, and different seeds give different ones") {
  for (const auto& how : all_recipes()) {
    CAPTURE(name_of(how));
    auto first = test::run_placement(with_options(how, 1), 1);
    auto second = test::run_placement(with_options(how, 1), 1);
    auto other = test::run_placement(with_options(how, 1), 2);
    CHECK(first.sends == second.sends);
    CHECK(first.sends != other.sends);
  }
}
