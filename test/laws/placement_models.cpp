#include "support/placement_models.hpp"
#include "support/drawn_facts.hpp"
#include "support/fact_sequence.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <string>

using libpool::assignment;
using libpool::measure;
using libpool::statistic;

namespace {

test::settings drawn_settings(const std::string& placement) {
  libpool::estimate_options options;
  options.history = *rc::gen::element<std::size_t>(1, 2, 3, 386);
  options.statistic = *rc::gen::element(statistic::mean, statistic::median);
  options.probe_every = *rc::gen::element<std::size_t>(0, 0, 1, 3);
  options.measure = *rc::gen::element(measure::service_time,
                                      measure::service_time, measure::cpu_time,
                                      measure::wait_time);
  if (*rc::gen::arbitrary<bool>())
    options.initial_estimate = libpool::duration{5};
  test::settings result;
  result.placement = {placement, options};
  result.when = *rc::gen::element(assignment::eager, assignment::lazy);
  result.steals = *rc::gen::arbitrary<bool>();
  result.weighs = *rc::gen::arbitrary<bool>();
  result.workers = 6;
  result.windows = {1, 2, 3, 1, 2, 3};
  result.joined = 2;
  return result;
}

void check_against_model(const std::string& placement) {
  REQUIRE(test::model_of(placement, {}) != nullptr);
  CHECK(rc::check(placement + " agrees with a plain model", [&] {
    auto facts = test::drawn_facts(10);
    std::transform(facts.begin(), facts.end(), facts.begin(), test::likely);
    test::check_life(drawn_settings(placement), facts);
  }));
}

} // namespace

TEST_CASE("the placement least_busy chooses the same workers as a plain model "
          "for any sequence of events") {
  check_against_model("least_busy");
}

TEST_CASE("the placement fair_share chooses the same workers as a plain model "
          "for any sequence of events") {
  check_against_model("fair_share");
}
