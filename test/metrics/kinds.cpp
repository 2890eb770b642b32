/// The metrics of pipelines, direct pools and distributed ones, and that of all
/// metrics together the names and types are those that are documented.

#include "libpool/observability/metrics/metrics_collector.hpp"
#include "metrics/scrape.hpp"
#include "support/listed_queue.hpp"
#include "support/nodes_world.hpp"
#include "support/pipeline_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace metrics_kinds_tests {

using libpool::actor_pool;
using libpool::metrics_collector;
using test::scrape;

namespace {

/// A world with a collector.
template <class Base>
struct collecting : Base {
  scrape now() const {
    return scrape{collector};
  }

  metrics_collector collector;
};

using line_world = collecting<test::pipeline_world>;
using direct_world = collecting<test::hand_cranked>;
using distributed_world = collecting<test::nodes_world>;

scrape::labels node(const char* name) {
  return {{"node", name}};
}

using types = std::vector<std::pair<std::string, prometheus::MetricType>>;
constexpr auto counter = prometheus::MetricType::Counter;
constexpr auto gauge = prometheus::MetricType::Gauge;
constexpr auto histogram = prometheus::MetricType::Histogram;

/// The type of a metric with that name, by the conventions of Prometheus.
prometheus::MetricType type_named(const std::string& name) {
  if (std::regex_search(name, std::regex{"_total$"}))
    return counter;
  return std::regex_search(name, std::regex{"_task_(wait|service)_seconds$"})
           ? histogram
           : gauge;
}

/// The names of metrics in the queries of the dashboard, which is a file of
/// users: their dashboards and alerts have the same names.
std::set<std::string> metrics_of_dashboard() {
  std::ifstream file{LIBPOOL_METRICS "/dashboard.json"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const std::regex name{"(libpool_[a-z_]+?)(_bucket|_sum|_count)?\\b"};
  std::set<std::string> result;
  for (std::sregex_iterator i{text.begin(), text.end(), name};
       i != std::sregex_iterator{}; ++i)
    result.insert((*i)[1]);
  return result;
}

} // namespace

TEST_CASE_FIXTURE(
  line_world,
  "a pipeline shows the items, the credit and the results of each stage") {
  const test::probe first{*this};
  const test::probe second{*this};
  spawn(by_hand("read", first, 3) | by_hand("write", second, 5));
  collector.add_pipeline(line, "p");
  for (auto i = 0; i < 3; ++i)
    client.request(line, i);
  run();
  first.answer(0, 10);
  first.answer(1, caf::make_error(caf::sec::runtime_error));
  run();
  for (auto [stage, items, credit, completed, failed] :
       {std::tuple{"read", 1, 3, 1, 1}, {"write", 1, 5, 0, 0}}) {
    const scrape::labels name{{"stage", stage}};
    CHECK(now()("stage_items", name) == items);
    CHECK(now()("stage_credit", name) == credit);
    CHECK(
      now()("stage_items_total", {{"outcome", "completed"}, {"stage", stage}})
      == completed);
    CHECK(now()("stage_items_total", {{"outcome", "failed"}, {"stage", stage}})
          == failed);
  }
}

TEST_CASE_FIXTURE(
  direct_world,
  "a direct pool shows only its policy, its workers and its refused messages") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin());
  const test::probe client{*this};
  collector.add(pool, "p");
  client.send(pool, 1);
  run();
  CHECK(now()("workers", {{"state", "serving"}}) == 0);
  CHECK(now()("tasks_refused_total", {{"reason", "unknown"}}) == 1);
  CHECK(now().types()
        == types{{"libpool_pool_info", gauge},
                 {"libpool_workers", gauge},
                 {"libpool_tasks_refused_total", counter}});
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(distributed_world, "a distributed pool shows its nodes") {
  make();
  collector.add(pool, "p");
  CHECK(now()("nodes") == 0);
  CHECK(!now().has("node_slots"));
  join(promising(), 2);
  join(promising(), 3);
  CHECK(now()("nodes") == 2);
  CHECK(now()("node_slots", node("node0")) == 2);
  CHECK(now()("node_slots", node("node1")) == 3);
  for (auto i = 0; i < 5; ++i)
    client.request(pool, i);
  run();
  auto nodes = libpool::nodes_of(pool).nodes;
  CHECK(now()("node_in_flight", node("node0")) == nodes.at(0).in_flight);
  CHECK(now()("node_in_flight", node("node1")) == nodes.at(1).in_flight);
  CHECK(nodes.at(0).in_flight > 0);
  lose_node(0);
  CHECK(now()("nodes") == 1);
  CHECK(now()("workers_left_total", {{"reason", "crashed"}}) == 1);
  CHECK(now().number_of_series("node_slots") == 1);
  promises.clear();
  run();
  leave(1);
  CHECK(now()("nodes") == 0);
  CHECK(now()("nodes_joined_total") == 2);
  CHECK(now()("nodes_lost_total") == 1);
  CHECK(now()("workers_left_total", {{"reason", "crashed"}}) == 1);
  CHECK(now()("workers_left_total", {{"reason", "ended"}}) == 1);
}

TEST_CASE_FIXTURE(
  distributed_world,
  "the bytes in flight to a node, and its bandwidth, are shown") {
  make();
  collector.add(pool, "p");
  join(promising());
  auto nodes = libpool::nodes_of(pool).nodes;
  link(0).hold();
  client.send(pool, 1);
  run();
  nodes = libpool::nodes_of(pool).nodes;
  CHECK(nodes.at(0).bytes_under_way > 0);
  CHECK(now()("node_under_way_bytes", node("node0"))
        == static_cast<double>(nodes.at(0).bytes_under_way));
  CHECK(now()("node_bandwidth_bytes_per_second", node("node0")) == 0);
  link(0).let_go();
  run();
}

TEST_CASE_FIXTURE(distributed_world,
                  "nodes with the same name share one time series, whose value "
                  "is the sum of the values of these nodes") {
  make();
  collector.add(pool, "p");
  name_of_next = "twin";
  join(promising(), 2);
  name_of_next = "twin";
  join(promising(), 3);
  CHECK(now()("nodes") == 2);
  CHECK(now().number_of_series("node_slots") == 1);
  CHECK(now()("node_slots", node("twin")) == 5);
}

TEST_CASE_FIXTURE(distributed_world,
                  "the metrics are those of the dashboard, and have the types "
                  "that their names state") {
  options.capacity = 9;
  options.deadline = std::chrono::hours{1}; // the pool sees answers
  libpool::flow_options flows;
  flows.flow_of = [](const libpool::message_content&) { return 1; };
  make_over(actor_pool::fair_queuing(flows, options));
  libpool::pool_metrics_options all;
  all.flows = 1;
  all.workers = true;
  collector.add(pool, "p", all);
  test::listed_queue queue;
  queue.failed[7].number = 7;
  libpool::detail::serve_queue(pool, {}, queue.for_front());
  join(promising());
  client.send(pool, 1);
  run();
  auto line = libpool::spawn_pipeline(
    system(), libpool::function_stage("double", [](int x) { return 2 * x; }));
  collector.add_pipeline(line, "p");
  const auto shown = now().types();
  std::set<std::string> names;
  for (const auto& each : shown) {
    CAPTURE(each.first);
    CHECK(names.insert(each.first).second);
    CHECK(each.second == type_named(each.first));
  }
  CHECK((names == metrics_of_dashboard()));
  CHECK(now()("queue_failed_messages") == 1);
  caf::anon_send_exit(line, caf::exit_reason::user_shutdown);
  end_pool();
}

} // namespace metrics_kinds_tests
