/// What holds for every placement and every order of the catalogue.

#include "libpool/policies/catalogue.hpp"
#include "support/fact_decoding.hpp"
#include "support/fact_sequence.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using libpool::assignment;
using libpool::recipe;
using test::settings;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t seeds = 6;

std::string name_of(const recipe& how) {
  return how.order + ", " + how.placement
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
libpool::placement_options options_of(std::uint64_t seed) {
  libpool::placement_options result;
  result.seed = seed;
  result.probe_every = seed % 3;
  result.history = 1 + seed % 4;
  result.decay = 100ms;
  result.floor = 1ms;
  result.failure_penalty = 50ms;
  if (seed % 2 == 1)
    result.initial_estimate = 5ms;
  if (seed % 4 == 2)
    result.statistic = libpool::statistic::median;
  if (seed % 5 == 3)
    result.measure = libpool::measure::cpu_time;
  if (seed % 5 == 4)
    result.measure = libpool::measure::wait_time;
  return result;
}

settings settings_of(const recipe& how, std::uint64_t seed) {
  settings result;
  result.placement = &libpool::placement_named(how.placement);
  result.placement_with = options_of(seed);
  result.when = *how.assignment;
  result.within.retries = 2;
  result.by_priority = how.order == "priority";
  result.age_step = 10ms;
  result.by_flows = result.parts_flows = how.order == "fair_queuing";
  result.weighs = result.placement->weighs && seed % 2 == 0;
  result.holds_keys = how.placement == "consistent_hash";
  result.windows = {1, 2, 3, 1};
  result.seats = {2, 1, 3, 1};
  result.joined = 2;
  return result;
}

/// Facts that are possible when they are told; few tasks have a deadline.
std::vector<std::uint8_t> likely_facts(std::uint64_t seed) {
  constexpr std::size_t facts = 6000;
  std::mt19937_64 engine{seed};
  std::vector<std::uint8_t> result(facts * test::fact_bytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto byte = engine();
    if (i % test::fact_bytes == 1)
      byte %= 224; // or it is wild
    if (i % test::fact_bytes == 2 && engine() % 10 != 0)
      byte %= 16; // no deadline
    result[i] = static_cast<std::uint8_t>(byte);
  }
  return result;
}

test::fact_outcome lived(const recipe& how, std::uint64_t seed) {
  return test::live_through(settings_of(how, seed), likely_facts(seed));
}

} // namespace

TEST_CASE("the laws of placements hold, whatever happens") {
  for (const auto& how : all_recipes())
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      CAPTURE(name_of(how));
      CAPTURE(seed);
      auto outcome = lived(how, seed);
      CHECK(outcome.broken == "");
      // It has lived: of some 1300 tasks that were submitted 200 are done.
      CHECK(outcome.completed > 200);
    }
}

TEST_CASE(
  "equal seeds give equal traces, and different seeds give different ones") {
  for (const auto& how : all_recipes()) {
    CAPTURE(name_of(how));
    auto first = lived(how, 1);
    auto second = lived(how, 1);
    auto other = lived(how, 2);
    CHECK(first.sends == second.sends);
    CHECK(first.sends != other.sends);
  }
}
