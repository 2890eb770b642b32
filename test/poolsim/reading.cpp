/// Scenarios that are none: status 2, one line that names the place, and
/// nothing on standard output.

#include "poolsim/reading.hpp"
#include "poolsim/refusals.hpp"

#include <doctest/doctest.h>

namespace {

using poolsim::read_scenario;
using test::check_refused;
using test::with;
using test::with_client;
using test::with_task;
using test::with_worker;

} // namespace

TEST_CASE("a scenario that is not valid JSON is rejected") {
  check_refused("", "/: ");
  check_refused("   ", "/: ");
  check_refused("{", "/: ");
  check_refused(R"({"seed": 1)", "/seed: ");
  check_refused(R"({"workers": [{"count": 1}, {"count": }]})",
                "/workers/1/count: ");
  check_refused(R"({"seed": 1} x)", "/: ");
  check_refused("{\"seed\": \"\xff\"}", "/seed: ");
  check_refused("{\"seed\": \"a\nb\"}", "/seed: ");
  check_refused(R"({"until": 1e999})", "/until: ");
  check_refused(std::string(100'000, '['), "/0/0/");
}

TEST_CASE("a scenario with a duplicate key is rejected") {
  check_refused(R"({"seed": 1, "seed": 1})", "/seed: is given twice");
  check_refused(R"({"workers": [{}, {"count": 1, "count": 2}]})",
                "/workers/1/count: is given twice");
  check_refused(R"({"shares": {"a": 1, "a": 1}})", "/shares/a: is given twice");
}

TEST_CASE("a scenario with an unknown key is rejected") {
  check_refused(R"({"colour": 1})", "/colour: unknown key");
  check_refused(with_worker(R"({"Count": 1})"),
                "/workers/1/Count: unknown key");
  check_refused(with_task(R"({"service": 1, "think": 1})"),
                "/tasks/1/think: unknown key");
  check_refused(with_client(R"({"service": 1, "at": 1})"),
                "/clients/0/at: unknown key");
  check_refused(R"({"stealing": {"name": "none", "alpha": 1}})",
                "/stealing/alpha: unknown key");
}

TEST_CASE("the error about an unknown key names the known keys") {
  check_refused(with_worker(R"({"colour": 1})"),
                "/workers/1/colour: unknown key, choose from: count, weight, "
                "speed, seats, join, leave, crash\n");
  check_refused(R"({"terms": {"wait": 1}, "nodes": [{}]})",
                "/terms/wait: unknown key, choose from: lease, portion, "
                "credit\n");
}

TEST_CASE("the error about an unknown name or key suggests the most similar "
          "known one") {
  check_refused(R"({"windwo": 1})", "/windwo: unknown key",
                "; did you mean 'window'?\n");
  check_refused(with_worker(R"({"Count": 1})"), "/workers/1/Count: unknown key",
                "; did you mean 'count'?\n");
  check_refused(R"({"policy": "fare_share"})",
                "/policy: unknown name 'fare_share', choose from: ",
                "; did you mean 'fair_share'?\n");
  check_refused(R"({"policy": "round_robin"})",
                "/policy: unknown name 'round_robin'",
                "; did you mean 'managed_round_robin'?\n");
  check_refused(R"({"policy": {"name": "work_stealing", "alhpa": 1}})",
                "/policy/alhpa: unknown key; options of work_stealing: ",
                "; did you mean 'alpha'?\n");
}

TEST_CASE("a scenario with a key that has no effect is rejected") {
  auto fair = [](const std::string& shares) {
    return R"({"order": "fair_queuing", "tasks": [{"service": 1, "flow": "gold"}],
               "shares": )"
           + shares + "}";
  };
  check_refused(R"({"shares": {"gold": 3}, "tasks": [{"service": 1,
                  "flow": "gold"}]})",
                "/shares: has no effect without fair_queuing: the order is "
                "fifo");
  check_refused(R"({"policy": "priority", "shares": {"gold": 3}})",
                "/shares: has no effect without fair_queuing: the order is "
                "priority");
  CHECK_NOTHROW(read_scenario(fair(R"({"gold": 3})")));
  check_refused(
    fair(R"({"glod": 3})"),
    "/shares/glod: has no effect, since no task has this flow; did you "
    "mean 'gold'?");
  check_refused(R"({"policy": {"name": "fair_queuing", "shares": {"a": 1}}})",
                "/policy/shares/a: has no effect, since no task has this flow");
  check_refused(
    R"({"policy": {"name": "fair_queuing", "shares": {"a": 1}},
                  "shares": {"a": 2}})",
    "/shares: must not be given, since the policy already has shares");
  check_refused(with_task(R"({"service": 1, "loose": true})"),
                "/tasks/1/loose: has no effect without the member 'only'");
  check_refused(
    R"({"pay_moves": true, "tasks": [{"service": 1}]})",
    "/pay_moves: has no effect, since no task has the member 'move'");
}

TEST_CASE("the path in an error is a JSON pointer on one line") {
  check_refused(R"({"a/b~c": 1})", "/a~1b~0c: unknown key");
  check_refused(R"({"a\nb": 1})", "/a?b: unknown key");
}

TEST_CASE("a scenario with a value of a wrong type is rejected") {
  check_refused("[]", "/: must be an object");
  check_refused("null", "/: must be an object");
  check_refused(R"({"workers": {}})", "/workers: must be a list");
  check_refused(R"({"workers": [3]})", "/workers/0: must be an object");
  check_refused(with(R"("tasks": {})"), "/tasks: must be a list");
  check_refused(with(R"("clients": 1)"), "/clients: must be a list");
  check_refused(R"({"seed": "x"})", "/seed: must be a 64-bit integer");
  check_refused(R"({"seed": 1.5})", "/seed: must be a 64-bit integer");
  check_refused(R"({"until": true})", "/until: must be a time");
  check_refused(R"({"until": 1.0})", "/until: must be a time");
  check_refused(R"({"pay_moves": 1})", "/pay_moves: must be true or false");
  check_refused(R"({"shares": []})", "/shares: must be an object");
  check_refused(with_worker(R"({"speed": "1"})"),
                "/workers/1/speed: must be a number");
  check_refused(with_worker(R"({"count": true})"),
                "/workers/1/count: must be an integer");
  check_refused(with_task(R"({"service": 1, "flow": 1})"),
                "/tasks/1/flow: must be a string");
  check_refused(with_task(R"({"service": 1, "kind": null})"),
                "/tasks/1/kind: must be a string");
  check_refused(with_task(R"({"service": 1, "loose": "yes"})"),
                "/tasks/1/loose: must be true or false");
  check_refused(with_task(R"({"service": 1, "only": 0})"),
                "/tasks/1/only: must be a list");
}

TEST_CASE("a scenario with a number that is out of bounds is rejected") {
  check_refused(with_worker(R"({"count": 0})"),
                "/workers/1/count: must be at least 1");
  check_refused(with_worker(R"({"count": -1})"),
                "/workers/1/count: must be at least 1");
  check_refused(with_worker(R"({"count": 18446744073709551615})"),
                "/workers/1/count: must be at most");
  check_refused(with_worker(R"({"count": 1000000})"),
                "/workers: must have at most 1000000 workers");
  check_refused(with_worker(R"({"seats": 0})"),
                "/workers/1/seats: must be at least 1");
  check_refused(with_worker(R"({"speed": 0})"),
                "/workers/1/speed: must be above 0");
  check_refused(with_worker(R"({"speed": -1})"),
                "/workers/1/speed: must be above 0");
  check_refused(R"({"window": 0})", "/window: must be at least 1, got 0");
  check_refused(R"({"capacity": -1})", "/capacity: must be at least 0, got -1");
  check_refused(R"({"shares": {"a": 0}})", "/shares/a: must be above 0, got 0");
  for (const char* key : {"width", "count"})
    check_refused(
      with_task(R"({"service": 1, ")" + std::string{key} + "\": 0}"),
      "/tasks/1/" + std::string{key} + ": must be at least 1, got 0");
  for (const char* key : {"width", "threads", "calls"})
    check_refused(
      with_client(R"({"service": 1, ")" + std::string{key} + "\": 0}"),
      "/clients/0/" + std::string{key} + ": must be at least 1, got 0");
}

TEST_CASE("a scenario with a negative time, or with a text that is not a time, "
          "is rejected") {
  check_refused(R"({"until": -1})", "/until: must be at least 0, got ");
  for (const char* key : {"join", "leave", "weight"})
    check_refused(with_worker("{\"" + std::string{key} + R"(": "-1s"})"),
                  "/workers/1/" + std::string{key}
                    + ": must be at least 0, got ");
  for (const char* key : {"at", "estimate", "move", "every"})
    check_refused(
      with_task(R"({"service": 1, ")" + std::string{key} + R"(": -1})"),
      "/tasks/1/" + std::string{key} + ": must be at least 0, got ");
  check_refused(with_task(R"({"service": "5m5"})"),
                "/tasks/1/service: must be a time");
  check_refused(with_task(R"({"service": [1, "5 ms"]})"),
                "/tasks/1/service/1: must be a time");
  check_refused(with_task(R"({"service": "0.1ns"})"),
                "/tasks/1/service: must be a whole number");
  check_refused(with_client(R"({"service": 1, "start": "-1ns"})"),
                "/clients/0/start: must be at least 0, got ");
  check_refused(with_client(R"({"service": 1, "think": "x"})"),
                "/clients/0/think: must be a time");
}

TEST_CASE("a scenario whose times are too long, individually or in total, is "
          "rejected") {
  check_refused(R"({"until": 9223372036854775807})", "/until: must be at most");
  check_refused(R"({"until": -9223372036854775808})",
                "/until: must be at least");
  check_refused(R"({"until": "400000h"})", "/until: must be at most 2^60 ns");
  check_refused(with_task(R"({"service": 1, "at": "1h", "count": 1000000,
                              "every": "1h"})"),
                "/tasks/1/every: the last time must not be later than 2^60 ns");
  check_refused(with_task(R"({"service": "2h", "count": 10000000})"),
                "/tasks/1/service: the total time of all tasks");
  check_refused(with(R"("workers": [{"speed": 1e-300}],
                         "tasks": [{"service": 1}])"),
                "/tasks/0/service: the total time of all tasks");
  check_refused(
    with_client(R"({"service": 1, "think": "300000h", "calls": 2})"),
    "/clients/0/think: the sum of all pauses");
  check_refused(
    with_client(R"({"service": 1, "threads": 3,
                                "stagger": "300000h"})"),
    "/clients/0/stagger: the last time must not be later than 2^60 ns");
  check_refused(with_client(R"({"service": 1, "threads": 100000000,
                                "calls": 100000000})"),
                "/clients/0: the scenario must have at most 100000000 tasks");
}

TEST_CASE(
  "worker numbers that do not exist and lists of a wrong length are refused") {
  check_refused(with_task(R"({"service": 1, "home": 2})"),
                "/tasks/1/home: must be at most 1, got 2");
  check_refused(with_task(R"({"service": 1, "home": -1})"),
                "/tasks/1/home: must be at least 0");
  check_refused(with_task(R"({"service": 1, "only": [0, 2]})"),
                "/tasks/1/only/1: must be at most 1, got 2");
  check_refused(with_task(R"({"service": 1, "only": []})"),
                "/tasks/1/only: must not be empty");
  check_refused(with_task(R"({"service": [1]})"),
                "/tasks/1/service: must have one entry per worker");
  check_refused(with_task(R"({"service": [1, 1, 1]})"),
                "/tasks/1/service: must have one entry per worker");
  check_refused(with_task(R"({"service": 1, "move": []})"),
                "/tasks/1/move: must have one entry per worker");
  check_refused(R"({"workers": []})", "/workers: must not be empty");
}

TEST_CASE("the error about a worker number states the number of workers") {
  check_refused(R"({"tasks": [{"service": 1, "only": [7]}]})",
                "/tasks/0/only/0: must be at most 0, got 7: there is 1 worker, "
                "numbered from 0\n");
  check_refused(with_task(R"({"service": 1, "home": 2})"),
                "/tasks/1/home: must be at most 1, got 2: there are 2 workers, "
                "numbered from 0\n");
}

TEST_CASE("a scenario that gives weights for some workers, but not for all "
          "workers, is rejected") {
  check_refused(with_worker(R"({"weight": "1ms"})"),
                "/workers/0/weight: must be given for all");
  check_refused(with(R"("workers": [{"weight": 1}, {"weight": 1}, {}])"),
                "/workers/2/weight: must be given for all");
  check_refused(with_worker(R"({"weight": 0})"),
                "/workers/1/weight: must be above 0");
  CHECK_NOTHROW(
    read_scenario(with(R"("workers": [{"weight": 1}, {"weight": 2}])")));
}

TEST_CASE("a scenario with a worker that leaves before it joins is rejected") {
  check_refused(with_worker(R"({"join": 2, "leave": 1})"),
                "/workers/1/leave: must not be before join");
}

TEST_CASE(
  "an entry of the member 'measure' that is not a time interval is rejected") {
  check_refused(with(R"("measure": [[0, 1], ["2s", "1s"]])"),
                "/measure/1: the second time must be after the first");
  check_refused(with(R"("measure": [[1, 1]])"),
                "/measure/0: the second time must be after the first");
  check_refused(with(R"("measure": [[1]])"), "/measure/0: must have two times");
  check_refused(with(R"("measure": [1])"), "/measure/0: must be a list");
}

TEST_CASE("an unknown name for a part of a policy, such as the order, is "
          "rejected with a list of the choices") {
  check_refused(R"({"order": "lifo"})",
                "/order: unknown name 'lifo', choose from: fifo");
  check_refused(R"({"placement": "best"})", "/placement: unknown name 'best'");
  check_refused(R"({"placement": {"name": "best"}})",
                "/placement/name: unknown name 'best'");
  check_refused(R"({"placement": {}})", "/placement/name: is missing");
  check_refused(R"({"placement": 1})", "/placement: must be a string");
  check_refused(R"({"stealing": "all"})",
                "/stealing: unknown name 'all', choose from: none");
  check_refused(with(R"("assignment": "late")"),
                "/assignment: unknown name 'late', choose from: eager, lazy");
}

TEST_CASE("an option that an order or a placement does not have is rejected") {
  check_refused(R"({"placement": {"name": "least_used", "history": 3}})",
                "/placement/history: unknown key");
  check_refused(R"({"order": {"name": "fifo", "age_step": 3}})",
                "/order/age_step: unknown key");
}

TEST_CASE("an option of a policy that is out of bounds is rejected") {
  auto with_option = [](const std::string& option) {
    return R"({"placement": {"name": "fair_share", )" + option + "}}";
  };
  check_refused(with_option(R"("history": 0)"), "/placement/history: must be");
  check_refused(with_option(R"("history": 100000000)"),
                "/placement/history: must be");
  check_refused(with_option(R"("statistic": "mode")"),
                "/placement/statistic: unknown name");
  check_refused(with_option(R"("initial_estimate": 0)"),
                "/placement/initial_estimate: must be above 0");
  check_refused(R"({"order": {"name": "fair_queuing", "guess": 0}})",
                "/order/guess: must be above 0");
  check_refused(R"({"order": {"name": "fair_queuing", "mode": "fair"}})",
                "/order/mode: unknown name 'fair', choose from: exact, "
                "kubernetes");
  check_refused(R"({"order": {"name": "fair_queuing", "queue_limit": 0}})",
                "/order/queue_limit: must be at least 1");
  check_refused(
    R"({"order": {"name": "fair_queuing", "queues": 4, "hand_size": 5}})",
    "/order/hand_size: must be at most queues");
  check_refused(R"({"order": "fair_queuing", "assignment": "eager"})",
                "/assignment: fair_queuing requires lazy assignment");
  check_refused(R"({"order": {"name": "priority", "age_step": 0}})",
                "/order/age_step: must be above 0");
}

TEST_CASE("parts of a policy that cannot be combined are rejected") {
  check_refused(R"({"order": "priority", "assignment": "eager"})",
                "/assignment: ");
}

TEST_CASE("the bounds of the priority of a task depend on the option "
          "'age_step' of the order") {
  check_refused(R"({"order": {"name": "priority", "age_step": "1h"},
                    "tasks": [{"service": 1, "priority": 2000000}]})",
                "/tasks/0/priority: must be between -1281023 and 1281023 with "
                "this age_step, got 2000000");
  CHECK_NOTHROW(read_scenario(
    R"({"order": "priority", "tasks": [{"service": 1,
        "priority": 9223372036854775807}]})"));
}

TEST_CASE("keys that a scenario leaves out have their default values") {
  auto read = read_scenario("{}");
  REQUIRE(read.workers.size() == 1);
  CHECK(read.workers[0].seats == 1);
  CHECK(read.workers[0].speed == 1);
  CHECK(read.how.order.name() == "fifo");
  CHECK(read.how.placement.name() == "round_robin");
  CHECK(!read.how.stealing);
  CHECK(read.measures_all);
  CHECK(!read.until);
  CHECK(!read.window);
}

TEST_CASE("a list of 200000 tasks is read in a short time") {
  std::string tasks{R"({"service": 1})"};
  for (int i = 1; i < 200'000; ++i)
    tasks += R"(, {"service": 1})";
  CHECK(read_scenario(R"({"tasks": [)" + tasks + "]}").tasks.size() == 200'000);
}

TEST_CASE("tasks that are restricted to the same workers share one list of "
          "these workers") {
  auto read = read_scenario(
    R"({"workers": [{"count": 3}], "tasks": [
          {"service": 1, "only": [2, 0]}, {"service": 1, "only": [0, 2, 2]},
          {"service": 1, "only": [0, 2], "loose": true}, {"service": 1}]})");
  REQUIRE(read.choices.size() == 2);
  CHECK(read.choices[0].only == std::vector<std::size_t>{0, 2});
  CHECK(read.tasks[0].where == read.tasks[1].where);
  CHECK(read.tasks[2].where == std::size_t{1});
  CHECK(!read.tasks[3].where);
}

TEST_CASE("service times are divided by the speed, and rounded to the nearest "
          "nanosecond") {
  auto read = read_scenario(
    R"({"workers": [{"speed": 3}, {"speed": 0.5}],
        "tasks": [{"service": [100, 7]}, {"service": 5}]})");
  CHECK(run_time(read, read.tasks[0], 0).count() == 33);
  CHECK(run_time(read, read.tasks[0], 1).count() == 14);
  CHECK(run_time(read, read.tasks[1], 0).count() == 2);
}
