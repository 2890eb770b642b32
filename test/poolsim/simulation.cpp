/// Small cases whose numbers are derived by hand, most of them in stories.txt.
/// Times are in ms.

#include "poolsim/chart.hpp"
#include "poolsim/invariants.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace poolsim_simulation_tests {

namespace {

using poolsim::fate;
using poolsim::task_run;

using nlohmann::json;

/// The members of a scenario with least_used.
std::string lazy(const std::string& rest) {
  return R"("placement": "least_used", "assignment": "lazy", )" + rest;
}

void tell_time(std::ostream& out, const json& time) {
  if (!time.is_null())
    out << time.get<double>() / 1e6;
}

void tell_task(std::ostream& out, const json& task) {
  tell_time(out, task["submitted"]);
  out << ':';
  if (!task["started"].is_null() || !task["finished"].is_null()) {
    out << ' ';
    tell_time(out, task["started"]);
    out << '-';
    tell_time(out, task["finished"]);
  }
  if (!task["worker"].is_null())
    out << " on " << task["worker"];
  if (task["attempts"] > 1)
    out << " in " << task["attempts"] << " attempts";
  if (task["outcome"] != "completed")
    out << ' ' << task["outcome"].get<std::string>();
}

/// The tasks, messages and nodes of a result as they are in stories.txt.
std::string story_of(const poolsim::result& result) {
  std::ostringstream out;
  const auto told = json::parse(test::report_of(result));
  auto separator = "";
  for (const auto& each : told.at("tasks")) {
    out << std::exchange(separator, "; ");
    tell_task(out, each);
  }
  separator = *separator == '\0' ? "| " : " | ";
  if (told.contains("messages"))
    for (const auto& each : told["messages"]["rows"]) {
      out << std::exchange(separator, "; ")
          << each["outcome"].get<std::string>();
      if (!each["finished"].is_null())
        tell_time(out << " at ", each["finished"]);
    }
  if (told.contains("nodes"))
    out << separator << "sessions " << told["nodes"]["sessions"] << ", lost "
        << told["nodes"]["lost"];
  return out.str();
}

} // namespace

TEST_CASE("simulations have the stories that are derived by hand") {
  test::for_each_pair_in(
    STORIES, [](const std::string& scenario, const std::string& story) {
      auto all = poolsim::simulate(poolsim::read_scenario(scenario));
      CHECK(story_of(all) == story);
      if (!all.nodes && !all.messages)
        test::check_invariants({scenario, test::report_of(all)});
    });
}

TEST_CASE("with fair queuing, a task that needs several seats can take seats "
          "of several workers") {
  // The wide one waits for both workers, and no task overtakes it. Flow w has 2
  // seats for 3 ms of 8.
  auto all = test::simulated(lazy(R"("workers": [{"count": 2}],
    "order": {"name": "fair_queuing", "guess": "1ms"}, "tasks": [
    {"flow": "n", "service": "4ms"}, {"flow": "w", "service": "3ms", "width": 2},
    {"flow": "n", "service": "1ms", "count": 2}])"));
  CHECK(story_of(all) == "0: 0-4 on 0; 0: 4-7 on 1; 0: 7-8 on 0; 0: 7-8 on 1");
  CHECK(all.flows[1].mean_seats[0] == doctest::Approx(6.0 / 8));
}

TEST_CASE("flows get service in proportion to their shares") {
  // 40 ms of backlog on both sides; 3 to 1 in the first 20 ms, to within a
  // task.
  auto all = test::simulated(lazy(R"("order": "fair_queuing",
    "shares": {"a": 3}, "measure": [[0, "20ms"]],
    "tasks": [{"flow": "a", "service": "1ms", "count": 40},
              {"flow": "b", "service": "1ms", "count": 40}])"));
  CHECK(all.flows[0].mean_seats[0] == doctest::Approx(0.75).epsilon(0.07));
}

TEST_CASE("tasks are submitted before calls of clients, each in the order of "
          "the file") {
  auto all = test::simulated(lazy(R"("tasks": [
      {"at": "1ms", "service": 1, "flow": "a", "count": 2, "every": "1ms"},
      {"at": "2ms", "service": 1, "flow": "b"},
      {"at": "1ms", "service": 1, "flow": "c"}],
    "clients": [
      {"start": "2ms", "service": 1, "flow": "x", "threads": 2},
      {"start": "2ms", "service": 1, "flow": "y"}])"));
  std::string flows;
  for (const auto& each : all.tasks)
    flows += all.flows[each.flow].name;
  CHECK(flows == "acabxxy");
}

TEST_CASE("waiting tasks that are held back count as parked for their flow") {
  // a has 2 waiting tasks from 0, and 1 from 4 ms on, when one begins after the
  // end of the pause; the first task of b begins at 0, the second at 6 ms.
  auto all = test::simulated(lazy(R"("workers": [{"count": 3}],
    "throttles": {"each_flow": {"most_running": 1}}, "tasks": [
      {"flow": "a", "service": "4ms", "count": 2},
      {"flow": "b", "service": "6ms", "count": 2}], "until": "10ms",
    "events": [{"at": 0, "do": "pause", "flow": "a"},
               {"at": "4ms", "do": "resume", "flow": "a"}])"));
  CHECK(all.flows[0].parked.mean == doctest::Approx((2 * 4 + 4) / 10.0));
  CHECK(all.flows[0].parked.most == 2);
  CHECK(all.flows[1].parked.mean == doctest::Approx(6 / 10.0));
  CHECK(all.flows[1].parked.most == 1);
  CHECK(all.parked.mean == doctest::Approx((2 * 4 + 4 + 6) / 10.0));
  CHECK(all.parked.most == 3);
}

TEST_CASE("a worker can still run a cancelled task when the clock stops") {
  auto all = test::simulated(lazy(R"("until": "5ms",
    "tasks": [{"service": "10ms", "deadline": "4ms"}])"));
  CHECK(all.tasks[0].is == fate::cancelled);
  CHECK(all.workers[0].running == std::vector<std::size_t>{0});
  CHECK(all.books.running == 0);
  CHECK(test::ms(all.workers[0].busy) == 5);
}

TEST_CASE("the runs of a task that is interrupted, and that runs when the "
          "clock stops, are told with their ends") {
  std::vector<task_run> runs;
  test::simulated(lazy(R"("workers": [{"leave": "4ms"}, {"join": "4ms"}],
                          "tasks": [{"service": "10ms"}], "until": "9ms")"),
                  [&](const task_run& each) { runs.push_back(each); });
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].how == task_run::ending::interrupted);
  CHECK(test::ms(runs[0].ended) == 4);
  CHECK(runs[1].how == task_run::ending::still_running);
  CHECK(test::ms(runs[1].ended) == 9);
}

TEST_CASE("a picture shows which runs crashed, and which runs ended after the "
          "deadline of their task") {
  auto scenario = poolsim::read_scenario(
    "{" + lazy(R"("workers": [{"crash": 5}, {}], "tasks": [{"service": 10},
          {"service": 10, "deadline": 8}, {"service": 10, "deadline": 4}]})"));
  poolsim::chart drawn{scenario};
  auto all = poolsim::simulate(scenario,
                               [&](const task_run& each) { drawn.add(each); });
  drawn.finish(all);
  std::vector<std::string> outcomes;
  for (const auto& each : drawn.all().records())
    outcomes.push_back(drawn.all().outcomes()[each.outcome]);
  CHECK(outcomes
        == std::vector<std::string>{"crashed", "overdue", "cancelled"});
}

TEST_CASE("a report has its keys in the order of the format, and null for "
          "times and workers that do not exist") {
  auto all = test::simulated(lazy(R"("window": 1, "capacity": 0, "until": 3,
    "tasks": [{"service": 5, "count": 2, "flow": "a\"b\n"}])"));
  CHECK(test::report_of(all) == R"({"now":3,
 "makespan":0,
 "steals":0,
 "tasks":[
  {"id":0,"flow":"a\"b\n","worker":0,"submitted":0,"started":0,"finished":null,"outcome":"running","moves":0,"attempts":1,"retried_errors":0},
  {"id":1,"flow":"a\"b\n","worker":null,"submitted":0,"started":null,"finished":null,"outcome":"refused:queue_full","moves":0,"attempts":0,"retried_errors":0}],
 "workers":[
  {"id":0,"completed":0,"busy":3,"paused":0,"running":[0],"queued":[]}],
 "flows":[
  {"flow":"a\"b\n","submitted":2,"completed":0,"failed":0,"cancelled":0,"refused":1,"waiting":0,"failed_by":{},"cancelled_by":{},"attempts":{"mean":1.0,"most":1,"tasks":[1]},"errors":{"answered":0,"retried":0,"refused":0},"parked":{"mean":0.0,"most":0},"paused":0,"mean_seats":[1.0],"latency":{"wait":{"mean":0,"p50":0,"p95":0,"p99":0},"response":{"mean":null,"p50":null,"p95":null,"p99":null}}}],
 "ledger":{"accepted":1,"completed":0,"failed":0,"cancelled":0,"refused":1,"waiting":0,"assigned":0,"running":1},
 "latency":{"wait":{"mean":0,"p50":0,"p95":0,"p99":0},"response":{"mean":null,"p50":null,"p95":null,"p99":null}},
 "failed_by":{},
 "cancelled_by":{},
 "attempts":{"mean":1.0,"most":1,"tasks":[1]},
 "errors":{"answered":0,"retried":0,"refused":0},
 "parked":{"mean":0.0,"most":0},
 "retrying":{"mean":0.0,"most":0},
 "paused":0}
)");
}

} // namespace poolsim_simulation_tests
