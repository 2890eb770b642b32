/// Policies that are chosen by the names that the README has for them.

#include "poolsim/reading.hpp"
#include "poolsim/refusals.hpp"
#include "poolsim/report.hpp"
#include "poolsim/simulation.hpp"

#include "libpool/policies/cost_aware_options.hpp"
#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/fair_queuing_options.hpp"
#include "libpool/policies/peak_ewma.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>

using libpool::assignment;
using poolsim::read_scenario;
using test::check_refused;

namespace {

libpool::recipe recipe_of(const std::string& rest) {
  return read_scenario("{" + rest + "}").how;
}

/// The result of a load under that policy.
std::string result_of(const std::string& policy) {
  std::ostringstream out;
  write_report(out,
               poolsim::simulate(read_scenario(
                 "{" + policy + R"(, "workers": [{"count": 2}, {"speed": 0.5}],
                   "tasks": [{"count": 60, "every": "1ms", "service": "4ms",
                              "flow": "a", "priority": 1},
                             {"count": 20, "every": "3ms", "service": "7ms",
                              "flow": "b"}]})")),
               poolsim::detail::tasks);
  return out.str();
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

TEST_CASE("a policy that is given by its name has the same result as the parts "
          "of this policy") {
  CHECK(result_of(R"("policy": "shared_queue")")
        == result_of(R"("placement": "least_used", "assignment": "lazy")"));
  CHECK(result_of(R"("policy": {"name": "priority", "age_step": "5ms"})")
        == result_of(R"("placement": "least_used",
                        "order": {"name": "priority", "age_step": "5ms"})"));
  CHECK(result_of(R"("policy": {"name": "work_stealing", "alpha": 0.5})")
        == result_of(R"("placement": "least_used",
                        "stealing": {"name": "cost_aware", "alpha": 0.5})"));
  CHECK(result_of(R"("policy": "managed_random", "seed": 3)")
        == result_of(R"("placement": "random", "seed": 3)"));
  CHECK(result_of(R"("policy": {"name": "fair_share", "history": 9})")
        == result_of(R"("placement": {"name": "fair_share", "history": 9})"));
  CHECK(result_of(R"("policy": "fair_queuing", "shares": {"a": 3})")
        == result_of(R"("order": "fair_queuing", "placement": "least_used",
                        "shares": {"a": 3})"));
}

TEST_CASE("a policy accepts the options of its parts") {
  auto how = recipe_of(
    R"("policy": {"name": "fair_queuing", "guess": "5ms", "queue_limit": 7})");
  auto* fair = how.order.options_as<libpool::fair_queuing_options>();
  REQUIRE(fair != nullptr);
  CHECK(fair->guess == std::chrono::milliseconds{5});
  CHECK(fair->queue_limit == 7);
  how =
    recipe_of(R"("policy": {"name": "work_stealing", "initial_estimate": 8})");
  REQUIRE(how.stealing);
  auto* stealing = how.stealing->options_as<libpool::cost_aware_options>();
  REQUIRE(stealing != nullptr);
  CHECK(stealing->initial_estimate == libpool::duration{8});
}

TEST_CASE(
  "a placement draws by the seed of the scenario, unless it has its own seed") {
  auto seed_of = [](const std::string& rest) {
    auto how = recipe_of(R"("seed": 3, "placement": )" + rest);
    auto* options = how.placement.options_as<libpool::peak_ewma_options>();
    REQUIRE(options != nullptr);
    return options->seed;
  };
  CHECK(seed_of(R"("peak_ewma")") == 3);
  CHECK(seed_of(R"({"name": "peak_ewma", "seed": 5})") == 5);
}

TEST_CASE("idle workers get tasks as probes of their speed only if the "
          "scenario sets 'probe_every'") {
  auto probe_every = [](const std::string& rest) {
    auto how = recipe_of(rest);
    auto* options = how.placement.options_as<libpool::estimate_options>();
    REQUIRE(options != nullptr);
    return options->probe_every;
  };
  CHECK(probe_every(R"("placement": "fair_share")") == 0);
  CHECK(probe_every(R"("policy": "fair_share")") == 0);
  CHECK(probe_every(R"("policy": {"name": "fair_share", "probe_every": 7})")
        == 7);
}

TEST_CASE(
  "a policy fixes lazy or eager assignment, or leaves the choice open") {
  CHECK(recipe_of(R"("policy": "least_used", "assignment": "lazy")").assignment
        == assignment::lazy);
  CHECK(
    recipe_of(R"("policy": "shared_queue", "assignment": "lazy")").assignment
    == assignment::lazy);
  check_refused(R"({"policy": "shared_queue", "assignment": "eager"})",
                "/assignment: shared_queue requires lazy assignment");
  check_refused(R"({"policy": "work_stealing", "assignment": "lazy"})",
                "/assignment: work_stealing requires eager assignment");
  check_refused(R"({"policy": "consistent_hash", "assignment": "lazy"})",
                "/assignment: consistent_hash requires eager assignment");
}

TEST_CASE("an order, a placement or a stealing that is given in addition to a "
          "policy is rejected") {
  check_refused(R"({"policy": "shared_queue", "order": "fifo"})",
                "/order: must not be given with policy");
  check_refused(R"({"policy": "shared_queue", "placement": "random"})",
                "/placement: must not be given with policy");
  check_refused(R"({"policy": "shared_queue", "stealing": "none"})",
                "/stealing: must not be given with policy");
}

TEST_CASE("an unknown managed policy is rejected with a list of the choices") {
  check_refused(R"({"policy": "best"})",
                "/policy: unknown name 'best', choose from: shared_queue, "
                "priority, fair_queuing, work_stealing, managed_round_robin");
  check_refused(R"({"policy": "round_robin"})",
                "/policy: unknown name 'round_robin'");
  check_refused(R"({"policy": {"name": "best"}})", "/policy/name: unknown");
  check_refused(R"({"policy": {}})", "/policy/name: is missing");
  check_refused(R"({"policy": 1})", "/policy: must be a string");
}

TEST_CASE("an option that a policy does not have, or that is out of bounds, is "
          "rejected") {
  check_refused(R"({"policy": {"name": "shared_queue", "history": 3}})",
                "/policy/history: unknown key; options of shared_queue: none");
  check_refused(R"({"policy": {"name": "work_stealing", "beta": 3}})",
                "/policy/beta: unknown key; options of work_stealing: alpha, "
                "initial_estimate");
  check_refused(R"({"policy": {"name": "fair_share", "history": 0}})",
                "/policy/history: must be at least 1");
  check_refused(
    R"({"policy": {"name": "fair_queuing", "queues": 4, "hand_size": 5}})",
    "/policy/hand_size: must be at most queues");
}
