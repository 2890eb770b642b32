/// Policies and gathers that are chosen by the names that the README has for
/// them.

#include "poolsim/reading.hpp"

#include "libpool/policies/order/fair_queuing_options.hpp"
#include "libpool/policies/placement/estimate_options.hpp"
#include "libpool/policies/placement/peak_ewma.hpp"
#include "libpool/policies/stealing/cost_aware_options.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace poolsim_reading_policy_tests {

namespace {

using namespace std::chrono_literals;
using libpool::assignment;

libpool::recipe recipe_of(const std::string& rest) {
  return poolsim::read_scenario("{" + rest + "}").how;
}

/// The options of an order, a placement or a stealing.
template <class Options, class Part>
Options options_of(Part part) {
  auto* options = part.template options_as<Options>();
  REQUIRE(options != nullptr);
  return *options;
}

poolsim::scenario with_gather(const std::string& gather) {
  return poolsim::read_scenario(R"({"workers": [{"count": 4}], "gather": )"
                                + gather + "}");
}

} // namespace

TEST_CASE("each managed policy has the parts that the catalogue lists for it") {
  for (const auto& each : libpool::managed_policies()) {
    CAPTURE(each.name);
    auto how = recipe_of("\"policy\": \"" + std::string{each.name} + "\"");
    CHECK(how.order.name() == each.order.name());
    CHECK(how.placement.name() == each.placement.name());
    CHECK(how.stealing.has_value() == each.stealing.has_value());
    CHECK(how.assignment == each.assignment);
  }
}

TEST_CASE("a policy accepts the options of its parts") {
  auto fair = options_of<libpool::fair_queuing_options>(
    recipe_of(R"("policy": {"name": "fair_queuing", "guess": "5ms",
                            "queue_limit": 7})")
      .order);
  CHECK(fair.guess == 5ms);
  CHECK(fair.queue_limit == 7);
  auto stealing = options_of<libpool::cost_aware_options>(
    *recipe_of(R"("policy": {"name": "work_stealing", "initial_estimate": 8})")
       .stealing);
  CHECK(stealing.initial_estimate == libpool::duration{8});
}

TEST_CASE(
  "a placement draws by the seed of the scenario, unless it has its own seed") {
  auto seed_of = [](const std::string& rest) {
    return options_of<libpool::peak_ewma_options>(
             recipe_of(R"("seed": 3, "placement": )" + rest).placement)
      .seed;
  };
  CHECK(seed_of(R"("peak_ewma")") == 3);
  CHECK(seed_of(R"({"name": "peak_ewma", "seed": 5})") == 5);
}

TEST_CASE("idle workers get tasks as probes of their speed only if the "
          "scenario sets 'probe_every'") {
  auto probe_every = [](const std::string& rest) {
    return options_of<libpool::estimate_options>(recipe_of(rest).placement)
      .probe_every;
  };
  CHECK(probe_every(R"("placement": "fair_share")") == 0);
  CHECK(probe_every(R"("policy": "fair_share")") == 0);
  CHECK(probe_every(R"("policy": {"name": "fair_share", "probe_every": 7})")
        == 7);
}

TEST_CASE("a policy that leaves the assignment open accepts lazy assignment, "
          "and so does a policy that requires it") {
  for (const std::string policy : {"least_used", "shared_queue"})
    CHECK(recipe_of(R"("assignment": "lazy", "policy": ")" + policy + '"')
            .assignment
          == assignment::lazy);
}

TEST_CASE("the member 'gather' of a scenario accepts the name of each gather "
          "plan in the catalogue") {
  for (const auto& entry : libpool::gathering_policies()) {
    CAPTURE(std::string{entry.name});
    auto how = with_gather('"' + std::string{entry.name} + '"').gather;
    REQUIRE(how);
    CHECK(how->asks().to == entry.make({})->asks().to);
  }
}

TEST_CASE("the delay of the gather plan 'hedged' is a time or a percentile") {
  CHECK(with_gather(R"({"name": "hedged", "after": "7ms"})").gather->patience()
        == 7ms);
  CHECK_FALSE(with_gather(R"({"name": "hedged", "after": {"percentile": 90}})")
                .gather->patience());
}

} // namespace poolsim_reading_policy_tests
