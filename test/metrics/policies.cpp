/// The metrics of managed pools that only some policies have: of flows, homes
/// and gathers.

#include "libpool/core/composition.hpp"
#include "libpool/metrics/collector.hpp"
#include "libpool/policies/catalogue.hpp"
#include "metrics/scrape.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace metrics_policies_tests {

using libpool::actor_pool;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::managed_world {
  world() {
    options.busy_until = libpool::busy_until::answer;
  }

  /// Makes the pool "p".
  void make(const libpool::policy& how, std::size_t workers,
            const libpool::pool_metrics_options& shown = {}) {
    pool = actor_pool::make(
      system(), workers,
      [this] { return system().spawn<scripted>(promising()); }, how);
    collector.add(pool, "p", shown);
    run();
  }

  /// Makes a pool that is fair to flows, which are named by messages.
  void make_fair(std::size_t shown_flows) {
    libpool::flow_options flows;
    flows.flow_of = [this](const libpool::message_content& content) {
      return flow_names.at(static_cast<std::size_t>(content.get_as<int>(0)));
    };
    libpool::pool_metrics_options shown;
    shown.flows = shown_flows;
    make(actor_pool::fair_queuing(flows, options), 1, shown);
  }

  void request(const std::vector<int>& all) {
    for (auto each : all)
      client.request(pool, each);
    run();
  }

  void answer_all() {
    for (std::size_t i = 0; i < promises.size(); ++i)
      deliver(i, 1);
  }

  test::scrape now() const {
    return test::scrape{collector};
  }

  std::vector<libpool::flow_key> flow_names;
  libpool::metrics_collector collector;
};

test::scrape::labels flow(const char* name) {
  return {{"flow", name}};
}

} // namespace

TEST_CASE_FIXTURE(world, "the flows with the most waiting tasks are shown") {
  flow_names = {"short", "long", "none"};
  make_fair(2);
  request({2, 1, 1, 1, 0, 0});
  CHECK(now()("flow_waiting", flow("long")) == 3);
  CHECK(now()("flow_waiting", flow("short")) == 2);
  CHECK(now().number_of_series("flow_waiting") == 2);
  CHECK(now().number_of_series("flow_running") == 2);
  deliver(0, 1);
  CHECK(now()("flow_waiting", flow("long"))
          + now()("flow_waiting", flow("short"))
        == 4);
  CHECK(now()("flow_running", flow("long"))
          + now()("flow_running", flow("short"))
        == 1);
  answer_all();
}

TEST_CASE_FIXTURE(world, "flows are not shown by default") {
  flow_names = {"a"};
  make_fair(0);
  request({0});
  CHECK(!now().has("flow_waiting"));
  CHECK(!now().has("flow_lag_seconds"));
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "a flow that had more than its share has a negative lag, in seconds") {
  flow_names = {"busy", "idle"};
  make_fair(9);
  request({0, 0, 1});
  advance(10s);
  deliver(0, 1);
  auto stats = actor_pool::summary(pool);
  for (auto& each : stats.flows)
    CHECK(now()("flow_lag_seconds", flow(each.name.c_str()))
          == doctest::Approx(std::chrono::duration<double>(each.lag).count()));
  CHECK(now()("flow_lag_seconds", flow("busy")) < -1);
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "a flow shows how many of its tasks were served and refused") {
  options.capacity = 2;
  flow_names = {"a", "b"};
  make_fair(9);
  request({0, 0, 1, 1, 1});
  CHECK(now()("flow_served_total", flow("a")) == 0);
  CHECK(now()("flow_refused_total", flow("b")) == 2);
  answer_all();
  CHECK(now()("flow_served_total", flow("a")) == 2);
  CHECK(now()("flow_served_total", flow("b")) == 1);
  CHECK(now()("flow_refused_total", flow("a")) == 0);
}

TEST_CASE_FIXTURE(
  world, "a flow shows its waiting times, and the age of its next task") {
  flow_names = {"a", "b"};
  make_fair(9);
  request({0});
  advance(2s);
  request({1});
  advance(3s);
  CHECK(now()("flow_oldest_waiting_seconds", flow("a")) == 0);
  CHECK(now()("flow_oldest_waiting_seconds", flow("b")) == 3);
  CHECK(now()("flow_wait_seconds_total", flow("b")) == 0);
  answer_all(); // the task of b starts after 3 s
  CHECK(now()("flow_oldest_waiting_seconds", flow("b")) == 0);
  CHECK(now()("flow_wait_seconds_total", flow("a")) == 0);
  CHECK(now()("flow_wait_seconds_total", flow("b")) == 3);
}

TEST_CASE_FIXTURE(world,
                  "flows of the same name show the longest of their waits") {
  flow_names = {"7", 7};
  make_fair(9);
  request({0, 0});
  advance(2s);
  request({1});
  advance(1s);
  CHECK(now()("flow_oldest_waiting_seconds", flow("7")) == 3);
  answer_all();
}

TEST_CASE_FIXTURE(world,
                  "flows with the same name share one time series, whose value "
                  "is the sum of the values of these flows") {
  flow_names = {"7", 7, "x\xFF", "x\xFE"};
  make_fair(9);
  request({0, 0, 0, 1, 1, 2, 3, 3});
  CHECK(now().number_of_series("flow_waiting") == 2);
  CHECK(now()("flow_waiting", flow("7")) + now()("flow_running", flow("7"))
        == 5);
  CHECK(now()("flow_waiting", flow("x\xEF\xBF\xBD")) == 3);
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "stolen tasks, and tasks whose home is not a worker, are counted") {
  libpool::home_options homes;
  homes.home_of = [](const libpool::message_content& content) {
    return std::optional{static_cast<std::size_t>(content.get_as<int>(0))};
  };
  make(actor_pool::work_stealing(homes, options), 2);
  CHECK(now()("tasks_stolen_total") == 0);
  request({0, 0, 0, 99});
  answer_all();
  CHECK(now()("homes_lost_total") == 1);
  CHECK(now()("tasks_stolen_total") >= 1);
  CHECK(now()("tasks_stolen_total") == stats().total.stolen);
}

TEST_CASE_FIXTURE(world, "gathered messages and hedged messages are counted") {
  make(actor_pool::hedged(10ms, 100, actor_pool::shared_queue(options)), 2);
  request({1});
  CHECK(now()("gathers_total") == 1);
  CHECK(now()("hedges_total") == 0);
  advance(20ms);
  CHECK(now()("gathers_total") == 1);
  CHECK(now()("hedges_total") == 1);
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "the name of the policy is shown, also for a policy made of parts") {
  auto shown_as = [this](const libpool::policy& how) {
    make(how, 1);
    auto result = collector.exposition();
    auto from = result.find("policy=\"") + 8;
    result = result.substr(from, result.find('"', from) - from);
    exit(pool, caf::exit_reason::user_shutdown);
    run();
    return result;
  };
  CHECK(shown_as(actor_pool::least_used()) == "least_used");
  CHECK(shown_as(actor_pool::round_robin()) == "direct");
  CHECK(shown_as(actor_pool::managed([] {
          libpool::composition parts;
          parts.order = libpool::order_named("fifo").make({});
          parts.placement = libpool::placement_named("least_used").make({});
          return parts;
        }))
        == "own");
}

} // namespace metrics_policies_tests
