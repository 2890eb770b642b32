/// Deadlines and crashes in scenarios, good and bad ones.

#include "poolsim/reading.hpp"
#include "poolsim/refusals.hpp"

#include <doctest/doctest.h>

#include <string>

using poolsim::duration;
using poolsim::read_scenario;
using test::check_refused;
using test::with;
using test::with_client;
using test::with_task;
using test::with_worker;

TEST_CASE("a task without its own deadline has the deadline of the pool") {
  auto read = read_scenario(R"({"deadline": "9ms", "tasks": [{"service": 1},
    {"service": 1, "deadline": "2ms"}],
    "clients": [{"service": 1}, {"service": 1, "deadline": "3ms"}]})");
  constexpr duration ms{1'000'000};
  CHECK(read.tasks[0].deadline == 9 * ms);
  CHECK(read.tasks[1].deadline == 2 * ms);
  CHECK(read.clients[0].deadline == 9 * ms);
  CHECK(read.clients[1].deadline == 3 * ms);
  CHECK(!read_scenario(with_task(R"({"service": 1})")).tasks[0].deadline);
}

TEST_CASE("a deadline that is zero, negative or not a time is rejected") {
  check_refused(with(R"("deadline": 0)"), "/deadline: must be above 0");
  check_refused(with_task(R"({"service": 1, "deadline": "-1ms"})"),
                "/tasks/1/deadline: must be at least 0, got ");
  check_refused(with_task(R"({"service": 1, "deadline": 0})"),
                "/tasks/1/deadline: must be above 0");
  check_refused(with_client(R"({"service": 1, "deadline": "soon"})"),
                "/clients/0/deadline: must be a time");
}

TEST_CASE("the member 'on_crash' of a scenario accepts the values that pools "
          "have for this option") {
  auto retries = [](const std::string& on_crash) {
    return read_scenario(with("\"on_crash\": " + on_crash)).retries;
  };
  CHECK(read_scenario("{}").retries == 0);
  CHECK(read_scenario("{}").poison_after == 0);
  CHECK(retries(R"("fail")") == 0);
  CHECK(retries(R"({"name": "fail"})") == 0);
  CHECK(retries(R"("retry")") == 1);
  CHECK(retries(R"({"name": "retry"})") == 1);
  CHECK(retries(R"({"name": "retry", "times": 7})") == 7);
  CHECK(read_scenario(with(R"("poison_after": 3)")).poison_after == 3);
}

TEST_CASE("a value of the member 'on_crash' that pools do not have for this "
          "option is rejected") {
  check_refused(with(R"("on_crash": "again")"),
                "/on_crash: unknown name 'again', choose from: fail, retry");
  check_refused(with(R"("on_crash": {"times": 3})"),
                "/on_crash/name: is missing");
  check_refused(with(R"("on_crash": {"name": "fail", "times": 3})"),
                "/on_crash/times: unknown key");
  check_refused(with(R"("on_crash": {"name": "retry", "after": 3})"),
                "/on_crash/after: unknown key");
  check_refused(with(R"("on_crash": {"name": "retry", "times": 0})"),
                "/on_crash/times: must be at least 1");
  check_refused(with(R"("on_crash": 3)"), "/on_crash: must be a string");
  check_refused(with(R"("poison_after": -1)"),
                "/poison_after: must be at least 0");
}

TEST_CASE(
  "a worker group has one crash time for all workers, or one for each worker") {
  auto shared = read_scenario(with(R"("workers": [{"count": 2, "crash": 7}])"));
  CHECK(shared.workers[1].crash == duration{7});
  auto each =
    read_scenario(with(R"("workers": [{"count": 2, "crash": [7, 9]}, {}])"));
  CHECK(each.workers[0].crash == duration{7});
  CHECK(each.workers[1].crash == duration{9});
  CHECK(!each.workers[2].crash);
}

TEST_CASE("a scenario with a crash of a worker that does not exist at that "
          "time is rejected") {
  check_refused(with_worker(R"({"crash": "-1s"})"),
                "/workers/1/crash: must be at least 0, got ");
  check_refused(with_worker(R"({"crash": 1, "join": 2})"),
                "/workers/1/crash: must not be before join");
  check_refused(with_worker(R"({"count": 2, "crash": [3, 1], "join": 2})"),
                "/workers/1/crash/1: must not be before join");
  check_refused(with_worker(R"({"crash": 1, "leave": 2})"),
                "/workers/1/crash: must not be given with the member leave");
  check_refused(
    with_worker(R"({"count": 2, "crash": [1]})"),
    "/workers/1/crash: must have one entry per worker of the group: 2, got 1");
  check_refused(with_worker(R"({"crash": true})"),
                "/workers/1/crash: must be a time");
}
