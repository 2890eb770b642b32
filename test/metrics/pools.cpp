/// The metrics of managed pools.

#include "libpool/core/composition.hpp"
#include "libpool/observability/metrics/metrics_collector.hpp"
#include "libpool/policies/catalogue.hpp"
#include "metrics/scrape.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace metrics_pools_tests {

using libpool::actor_pool;
using test::scripted;
using namespace std::chrono_literals;

namespace {

constexpr int crashing = 0;
constexpr int failing = 1;

struct world : test::managed_world {
  world() {
    options.busy_until = libpool::busy_until::answer;
  }

  /// Makes the pool "p".
  void make(const libpool::policy& how, std::size_t workers,
            const libpool::pool_metrics_options& shown = {}) {
    pool = actor_pool::make(
      system(), workers, [this] { return system().spawn<scripted>(obeying()); },
      how);
    collector.add(pool, "p", shown);
    run();
  }

  void make(std::size_t workers) {
    make(actor_pool::shared_queue(options), workers);
  }

  /// Makes a pool that is fair to flows, which are named by messages.
  void make_fair(std::size_t workers, std::size_t shown_flows) {
    libpool::flow_options flows;
    flows.flow_of = [this](const libpool::message_content& content) {
      return flow_names.at(static_cast<std::size_t>(content.get_as<int>(0)));
    };
    libpool::pool_metrics_options shown;
    shown.flows = shown_flows;
    make(actor_pool::fair_queuing(flows, options), workers, shown);
  }

  /// A worker that crashes, fails, or promises until `deliver` is called.
  scripted::script obeying() {
    return [this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
                if (x == crashing)
                  test::crash();
                auto promise = self.make_response_promise();
                if (x == failing) {
                  promise.deliver(caf::make_error(caf::sec::runtime_error));
                } else {
                  holders.push_back(&self);
                  promises.push_back(promise);
                }
                return promise;
              },
              [this](caf::ok_atom, std::size_t i, int x) {
                promises.at(i).deliver(x);
              }};
    };
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

  /// The time series without their help and the version.
  std::string series() const {
    std::istringstream all{collector.exposition()};
    std::string result;
    for (std::string line; std::getline(all, line);)
      if (line[0] != '#' && line.find("pool_info") == std::string::npos)
        result += line + '\n';
    return result;
  }

  std::vector<libpool::flow_key> flow_names;
  libpool::metrics_collector collector;
};

test::scrape::labels flow(const char* name) {
  return {{"flow", name}};
}

std::string text_of(const std::string& path) {
  std::ifstream in{path};
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE_FIXTURE(world, "each metric of a pool at work has its value") {
  options.capacity = 4;
  options.on_crash = libpool::retry{1};
  options.restart.max = 9;
  flow_names = {"crashing", "failing", "gold", "silver"};
  make_fair(3, 9);
  request({failing, crashing});
  advance(1s); // for a replacement
  advance(1s);
  request({2, 2, 3});
  advance(5s);
  request({3, 3, 2, 2, 2, 2}); // two are refused
  advance(10s);
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{},
             caf::actor{holders.at(0)});
  deliver(1, 1); // after 15 s; the next one has waited for 10 s
  deliver(3, 1);
  advance(1s);
  // The one that was removed has run for 16 s, and two tasks wait for 11 s.
  CHECK(series() == text_of(LIBPOOL_TEST_METRICS "/exposition.txt"));
  answer_all();
  request({2});
  answer_all();
}

TEST_CASE_FIXTURE(world, "a task counts as sent until its worker begins it") {
  make(1);
  client.request(pool, 2);
  client.request(pool, 2);
  CHECK(now()("tasks", {{"state", "sent"}}) == 1);
  run();
  CHECK(now()("tasks", {{"state", "sent"}}) == 0);
  CHECK(now()("tasks", {{"state", "running"}}) == 1);
  answer_all();
}

TEST_CASE_FIXTURE(world,
                  "a task that has missed its deadline counts as cancelled, "
                  "and also as overdue while its handler runs") {
  options.deadline = 1s;
  make(1);
  request({2, 2});
  advance(2s);
  CHECK(now()("tasks_settled_total", {{"outcome", "cancelled"}}) == 2);
  CHECK(now()("task_errors_total", {{"reason", "deadline_exceeded"}}) == 2);
  CHECK(now()("tasks_overdue") == 1);
  deliver(0, 1);
  CHECK(now()("tasks_overdue") == 0);
}

TEST_CASE_FIXTURE(world, "a worker that stands in for a stuck one is counted "
                         "until the handler of the stuck one has ended") {
  options.time_limit = 1s;
  options.stand_ins = 2;
  make(2);
  request({2});
  CHECK(now()("pool_stand_ins") == 0);
  advance(1s);
  CHECK(now()("pool_stand_ins") == 1);
  CHECK(now()("workers", {{"state", "idle"}}) == 2);
  deliver(0, 1);
  CHECK(now()("pool_stand_ins") == 0);
}

TEST_CASE_FIXTURE(world, "figures that a pool does not have or measure are not "
                         "shown, and workers are not shown by default") {
  options.busy_until = libpool::busy_until::handler;
  options.measure_times = false;
  make(1);
  request({2});
  for (const std::string name :
       {"task_wait_seconds", "task_service_seconds", "oldest_waiting_seconds",
        "longest_running_seconds", "worker_busy_seconds_total", "task_capacity",
        "flow_waiting", "worker_in_flight"}) {
    CAPTURE(name);
    CHECK(!now().has(name));
  }
  answer_all();
}

TEST_CASE_FIXTURE(world, "flows are not shown by default") {
  flow_names = {"crashing", "failing", "a"};
  make_fair(1, 0);
  request({2});
  CHECK(!now().has("flow_waiting"));
  CHECK(!now().has("flow_lag_seconds"));
  answer_all();
}

TEST_CASE_FIXTURE(world, "each worker is shown if the options say so") {
  libpool::pool_metrics_options all;
  all.workers = true;
  make(actor_pool::shared_queue(options), 2, all);
  request({2});
  auto at_work = describe(stats().members.at(0));
  CHECK(now().number_of_series("worker_in_flight") == 2);
  CHECK(now()("worker_in_flight", {{"worker", at_work}}) == 1);
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "tasks that wait for particular workers are counted separately") {
  options.may_run_on = [](const libpool::message_content&) {
    return libpool::worker_choice{{0}, false};
  };
  make(2);
  request({2, 2, 2});
  CHECK(now()("tasks_held") == 2);
  answer_all();
}

TEST_CASE_FIXTURE(world, "the flows with the most waiting tasks are shown") {
  flow_names = {"crashing", "failing", "short", "long", "none"};
  make_fair(1, 2);
  request({4, 3, 3, 3, 2, 2});
  CHECK(now()("flow_waiting", flow("long")) == 3);
  CHECK(now()("flow_waiting", flow("short")) == 2);
  CHECK(now().number_of_series("flow_waiting") == 2);
  CHECK(now().number_of_series("flow_running") == 2);
  answer_all();
}

TEST_CASE_FIXTURE(world,
                  "flows with the same name share one time series, whose value "
                  "is the sum of their values, or the longest of their waits") {
  flow_names = {"crashing", "failing", "7", 7, "x\xFF", "x\xFE"};
  make_fair(1, 9);
  request({2, 2, 2, 3, 4, 5, 5});
  advance(2s);
  request({3});
  advance(1s);
  CHECK(now().number_of_series("flow_waiting") == 2);
  CHECK(now()("flow_waiting", flow("7")) + now()("flow_running", flow("7"))
        == 5);
  CHECK(now()("flow_waiting", flow("x\xEF\xBF\xBD")) == 3);
  CHECK(now()("flow_oldest_waiting_seconds", flow("7")) == 3);
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "stolen tasks, and tasks whose home is not a worker, are counted") {
  libpool::home_options homes;
  homes.home_of = [](const libpool::message_content& content) {
    return std::optional{static_cast<std::size_t>(content.get_as<int>(0) - 2)};
  };
  make(actor_pool::work_stealing(homes, options), 2);
  CHECK(now()("tasks_stolen_total") == 0);
  request({2, 2, 2, 99});
  answer_all();
  CHECK(now()("homes_lost_total") == 1);
  CHECK(now()("tasks_stolen_total") >= 1);
  CHECK(now()("tasks_stolen_total") == stats().total.stolen);
}

TEST_CASE_FIXTURE(world, "gathered messages and hedged messages are counted") {
  make(actor_pool::hedged(10ms, 100, actor_pool::shared_queue(options)), 2);
  request({2});
  CHECK(now()("gathers_total") == 1);
  CHECK(now()("hedges_total") == 0);
  advance(20ms);
  CHECK(now()("gathers_total") == 1);
  CHECK(now()("hedges_total") == 1);
  answer_all();
}

TEST_CASE_FIXTURE(
  world, "the metric pool_info has the policy of the pool, also for a policy "
         "made of parts, and the version of the library as labels") {
  auto check_policy = [this](const libpool::policy& how, const char* name) {
    make(how, 1);
    CHECK(now()("pool_info",
                {{"policy", name}, {"version", LIBPOOL_VERSION_STRING}})
          == 1);
    exit(pool, caf::exit_reason::user_shutdown);
    run();
  };
  check_policy(actor_pool::least_used(), "least_used");
  check_policy(actor_pool::round_robin(), "direct");
  check_policy(actor_pool::managed([] {
                 libpool::composition parts;
                 parts.order = libpool::order_named("fifo").make({});
                 parts.placement =
                   libpool::placement_named("least_used").make({});
                 return parts;
               }),
               "own");
}

} // namespace metrics_pools_tests
