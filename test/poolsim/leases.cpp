/// Simulated workers that are left several tasks at a time.

#include "libpool/policies/catalogue.hpp"
#include "poolsim/invariants.hpp"
#include "poolsim/runs.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace poolsim_leases_tests {

namespace {

using poolsim::duration;

const std::string shared_queue = R"("policy": "shared_queue", )";

/// The result of the scenario, which keeps all promises.
poolsim::result simulated(const std::string& members) {
  auto result = test::simulated(members);
  test::check_invariants({"{" + members + "}", test::report_of(result)});
  return result;
}

poolsim::result leased(const std::string& members) {
  return simulated(R"("leases": true, )" + members);
}

/// By how many tasks one of two flows is ahead of the other at that time.
std::int64_t lead_at(const poolsim::result& result, duration then) {
  std::array<std::int64_t, 2> ended{};
  for (const auto& each : result.tasks)
    ended[each.flow] += each.finished <= then ? 1 : 0;
  return std::abs(ended[0] - ended[1]);
}

/// Checks that each task has the same worker, times and outcome in both
/// results.
void check_same_tasks(const poolsim::result& x, const poolsim::result& y) {
  REQUIRE(x.tasks.size() == y.tasks.size());
  for (std::size_t i = 0; i < x.tasks.size(); ++i) {
    CAPTURE(i);
    CHECK(x.tasks[i].is == y.tasks[i].is);
    CHECK(x.tasks[i].why == y.tasks[i].why);
    CHECK(x.tasks[i].error == y.tasks[i].error);
    CHECK(x.tasks[i].worker == y.tasks[i].worker);
    CHECK(x.tasks[i].started == y.tasks[i].started);
    CHECK(x.tasks[i].finished == y.tasks[i].finished);
    CHECK(x.tasks[i].attempts == y.tasks[i].attempts);
  }
}

} // namespace

TEST_CASE("each task and each call runs at the same simulated time, whether or "
          "not a worker gets several messages together (a lease)") {
  for (const std::string load :
       {R"("tasks": [{"service": "1us", "count": 500},
                     {"at": "100us", "service": "3us", "count": 50}])",
        R"("clients": [{"threads": 40, "calls": 50, "service": "2us",
                        "think": "1us"}])"}) {
    CAPTURE(load);
    auto plain = simulated(shared_queue + load);
    auto with = leased(shared_queue + load);
    CHECK(!plain.leases);
    CHECK(with.leases > std::uint64_t{0});
    CHECK(with.books.completed == plain.books.accepted);
    CHECK(with.makespan == plain.makespan);
    if (load.find("tasks") == 1) { // calls may change places
      CHECK(test::starts(with) == test::starts(plain));
      CHECK(test::ends(with) == test::ends(plain));
    }
  }
}

TEST_CASE("with eager assignment, each task runs on the same simulated worker "
          "and at the same time, whether or not a worker gets several tasks "
          "together (a lease), if no worker gives a task back") {
  // All tasks take 2 us, so each lease ends in time, and no task runs at its
  // deadline.
  const std::string workers =
    R"("workers": [{"count": 5, "weight": "1ms"}, {"weight": "2ms"},
                   {"weight": "1ms", "join": "70us"}], )";
  const std::vector<std::string> loads{
    R"("seed": 1, "capacity": 120, "tasks": [
         {"service": "2us", "count": 100},
         {"flow": "a", "count": 300, "every": "300ns", "service": "2us",
          "errors": {"busy": 0.1}}])",
    R"("seed": 2, "deadline": "80us", "tasks": [
         {"service": "2us", "count": 200},
         {"flow": "a", "count": 100, "every": "2us", "service": "2us"},
         {"flow": "b", "at": "20us", "service": "2us", "count": 150}])",
    R"("seed": 3, "events": [{"do": "cancel", "at": "60900ns", "flow": "b"},
                             {"do": "cancel", "at": "120850ns"}],
       "tasks": [{"service": "2us", "count": 200},
                 {"flow": "b", "at": "40us", "service": "2us", "count": 200,
                  "every": {"distribution": "exponential", "mean": "300ns"},
                  "obeys_stop": true},
                 {"flow": "a", "count": 300, "every": "300ns",
                  "service": "2us"}])"};
  for (const auto& each : libpool::managed_policies()) {
    if (assignment_of(each) == libpool::assignment::lazy || each.stealing
        || each.name == "consistent_hash")
      continue;
    for (const auto& load : loads) {
      auto members = R"("policy": ")" + std::string{each.name} + R"(", )";
      members += workers + load;
      CAPTURE(members);
      auto plain = simulated(members);
      auto with = leased(members);
      CHECK(with.leases > std::uint64_t{0});
      CHECK(plain.books.refused + plain.books.cancelled > 0);
      check_same_tasks(with, plain);
    }
  }
}

TEST_CASE("pauses, cancels and errors have the same effects at the same times, "
          "whether or not a simulated worker gets several messages together "
          "(a lease)") {
  const std::string load =
    R"("workers": [{}], "events": [
         {"do": "pause", "at": "20300ns"}, {"do": "resume", "at": "40700ns"},
         {"do": "pause", "at": "60100ns", "worker": 0},
         {"do": "cancel", "at": "80900ns", "kind": "k"},
         {"do": "resume", "at": "100300ns", "worker": 0},
         {"do": "cancel", "at": "140700ns", "flow": "b"}],
       "tasks": [{"flow": "a", "service": "2us", "count": 100,
                  "errors": {"busy": 0.2}},
                 {"flow": "b", "service": "3us", "count": 50, "at": "10us"},
                 {"flow": "a", "kind": "k", "service": "1us", "count": 40,
                  "at": "20us"},
                 {"flow": "b", "at": "90us", "service": "900ns", "count": 80,
                  "every": "700ns", "obeys_stop": true}])";
  for (const std::string policy : {"shared_queue", "priority"}) {
    CAPTURE(policy);
    auto members = R"("policy": ")" + policy;
    members.append(R"(", )").append(load);
    auto plain = simulated(members);
    auto with = leased(members);
    CHECK(with.leases > std::uint64_t{0});
    CHECK(plain.books.cancelled > 0);
    CHECK(plain.errors.answered > 0);
    check_same_tasks(with, plain);
    REQUIRE(with.events.size() == plain.events.size());
    for (std::size_t i = 0; i < with.events.size(); ++i) {
      CHECK(with.events[i].waiting == plain.events[i].waiting);
      CHECK(with.events[i].running == plain.events[i].running);
      CHECK(with.events[i].quiet == plain.events[i].quiet);
    }
  }
}

TEST_CASE("a simulated worker begins tasks with priorities at the same times "
          "with and without leases") {
  const std::string load =
    R"("policy": "priority", "workers": [{}],
       "tasks": [{"priority": 3, "count": 30, "every": "5us",
                  "service": {"distribution": "exponential", "mean": "3us"}},
                 {"service": "2us", "count": 100},
                 {"priority": 1, "count": 100, "every": "1us",
                  "service": "900ns"},
                 {"priority": -2, "service": "1us", "count": 50}])";
  for (const std::string limits :
       {"", R"("seed": 2, "capacity": 50, )", R"("deadline": "300500ns", )"}) {
    CAPTURE(limits);
    auto plain = simulated(limits + load);
    auto with = leased(limits + load);
    CHECK(with.leases > std::uint64_t{0});
    check_same_tasks(with, plain);
  }
}

TEST_CASE("a simulated worker begins tasks with deadlines of their own at the "
          "same times with and without leases") {
  const std::string load =
    R"("workers": [{}], "tasks": [
         {"service": "2us", "count": 100, "deadline": "150500ns"},
         {"service": "1us", "count": 100, "at": "333ns", "every": "3us",
          "deadline_of":
           {"distribution": "uniform", "low": "20us", "high": "300us"}},
         {"service": {"distribution": "exponential", "mean": "2us"},
          "count": 50, "every": "2us"}])";
  for (const std::string policy :
       {"shared_queue", "earliest_deadline", "priority"}) {
    CAPTURE(policy);
    auto members = R"("seed": 5, "policy": ")" + policy;
    members.append(R"(", )").append(load);
    auto plain = simulated(members);
    auto with = leased(members);
    CHECK(with.leases > std::uint64_t{0});
    CHECK(plain.books.cancelled > 0);
    check_same_tasks(with, plain);
  }
}

TEST_CASE("the messages that a simulated worker gets together (a lease) take "
          "at most 50 microseconds") {
  auto all =
    leased(shared_queue + R"("tasks": [{"service": "10us", "count": 500}])");
  REQUIRE(all.leases);
  CHECK(*all.leases >= 99);
  CHECK(*all.leases <= 101);
  // Longer ones come one by one.
  all =
    leased(shared_queue + R"("tasks": [{"service": "60us", "count": 100}])");
  CHECK(all.leases == std::uint64_t{0});
}

TEST_CASE("an idle simulated worker runs tasks that another worker got "
          "together with a long task (a lease)") {
  // The 61st task takes 5 ms. What is leased behind it runs elsewhere.
  auto all = leased(shared_queue + R"("workers": [{"count": 2}],
    "tasks": [{"service": "1us", "count": 60}, {"service": "5ms"},
              {"service": "1us", "count": 100}])");
  CHECK(all.leases > std::uint64_t{0});
  for (const auto& each : all.tasks)
    if (each.finished - each.started < duration{1000000})
      CHECK(each.finished < duration{200'000});
}

TEST_CASE(
  "tasks leased to a simulated worker that terminates run on other workers") {
  auto all = leased(shared_queue + R"("workers": [{},
    {"crash": "20500ns"}, {"leave": "31500ns"}],
    "tasks": [{"service": "1us", "count": 300}])");
  CHECK(all.leases > std::uint64_t{0});
  CHECK(all.books.completed == 299);
  CHECK(all.books.failed == 1);
}

TEST_CASE("if workers get several messages together (leases), simulated flows "
          "take turns of 50 microseconds") {
  auto all = leased(R"("policy": "fair_queuing", "tasks": [
    {"flow": "a", "service": "1us", "count": 600},
    {"flow": "b", "service": "1us", "count": 600}])");
  CHECK(all.leases > std::uint64_t{0});
  CHECK(all.leases < std::uint64_t{60});
  for (auto us = 1; us < 1200; us += 7)
    CHECK(lead_at(all, duration{us * 1000}) <= 52);
}

TEST_CASE("unstarted tasks that a simulated worker got together (a lease) are "
          "reported as waiting") {
  auto all = leased(shared_queue + R"("until": "100500ns",
    "tasks": [{"service": "1us", "count": 500}])");
  CHECK(all.leases > std::uint64_t{0});
  CHECK(all.books.accepted == 500);
  CHECK(all.books.completed == 100);
  CHECK(all.books.waiting == 399);
}

TEST_CASE("simulated workers get one task at a time if they have a window or "
          "seats above 1, or if tasks have workers of their own") {
  for (const std::string members :
       {R"("policy": "shared_queue", "window": 2, )",
        R"("policy": "least_used", "window": 2, )",
        R"("policy": "fair_queuing", "window": 2, )",
        R"("policy": "shared_queue", "workers": [{"seats": 2}], )",
        R"("policy": "shared_queue", "window": 1,
           "workers": [{"seats": 2}], )",
        R"("policy": "fair_queuing", "workers": [{"seats": 2}], )",
        R"("policy": "shared_queue", "gather": "hedged", )",
        R"("placement": "least_busy", "assignment": "lazy", )",
        R"("policy": {"name": "least_busy", "measure": "cpu_time"}, )"}) {
    CAPTURE(members);
    auto all = leased(members + R"("tasks": [{"service": "1us",
                                              "count": 200}])");
    CHECK(all.leases == std::uint64_t{0});
    CHECK(all.books.completed >= 200);
  }
}

TEST_CASE("a simulated worker gets several tasks together (a lease) with each "
          "other option, and completes all tasks") {
  const std::vector<std::pair<std::string, std::string>> rows{
    {shared_queue, R"("estimate": "1us")"},
    {shared_queue, R"("home": 0)"},
    {shared_queue, R"("home": 0, "move": "100ns")"},
    {shared_queue, R"("only": [0])"},
    {shared_queue, R"("only": [0], "loose": true)"},
    {shared_queue, R"("width": 2)"},
    {shared_queue, R"("kind": "k", "priority": 3)"},
    {shared_queue, R"("deadline": "1ms")"},
    {shared_queue, R"("deadline_of": {"distribution": "uniform",
                                      "low": "400us", "high": "900us"})"},
    {R"("policy": "shared_queue", "drop_hopeless": true, )",
     R"("deadline": "1ms")"},
    {R"("policy": "shared_queue", "time_limit": "100us", )", ""},
    {R"("policy": "shared_queue", "on_crash": "retry", )", ""},
    {R"("policy": "shared_queue", "throttles":
          {"all": {"most_running": 40}, "each_flow": {"most_running": 30}}, )",
     ""},
    {R"("policy": "shared_queue", "throttles":
          {"each_flow": {"per_second": 1e5, "burst": 100}}, )",
     ""},
    {R"("policy": "shared_queue", "events": [
          {"do": "pause", "flow": "a", "at": "10500ns"},
          {"do": "resume", "flow": "a", "at": "20500ns"}], )",
     R"("flow": "a")"},
    {R"("policy": {"name": "priority", "age_step": "10us"}, )",
     R"("priority": 2)"},
    {R"("policy": "earliest_deadline", )",
     R"("deadline_of": {"distribution": "uniform", "low": "400us",
                        "high": "900us"})"},
    {R"("policy": "fair_queuing", )", R"("width": 2)"},
    {R"("policy": {"name": "fair_queuing", "mode": "kubernetes",
                   "queue_limit": 500}, )",
     ""},
    {R"("policy": "work_stealing", )", R"("estimate": "1us")"},
    {R"("policy": "join_shortest_estimated_queue", )", R"("estimate": "1us")"},
    {R"("policy": "least_busy", )", R"("home": 0)"},
    {R"("policy": "least_used", )", R"("only": [0])"}};
  for (const auto& each : rows) {
    auto text = each.first + R"("tasks": [{)" + each.second;
    text += each.second.empty() ? "" : ", ";
    text += R"("service": "1us", "count": 200}])";
    CAPTURE(text);
    auto all = leased(text);
    CHECK(all.leases > std::uint64_t{0});
    CHECK(all.books.completed == 200);
  }
}

TEST_CASE("simulated pools with a capacity, a deadline and retries use leases, "
          "and keep to them exactly") {
  // Three tasks are sent and 300 wait, so 697 are refused. All others end in
  // 101 us, before the deadline and before the idle worker crashes.
  auto all = leased(shared_queue + R"("capacity": 300, "deadline": "200us",
    "on_crash": "retry", "workers": [{"count": 2}, {"crash": "50500ns"}],
    "tasks": [{"service": "1us", "count": 1000}])");
  CHECK(all.leases > std::uint64_t{0});
  CHECK(all.books.accepted == 303);
  CHECK(all.books.refused == 697);
  CHECK(all.books.completed == 303);
  auto late = leased(shared_queue + R"("deadline": "100us", "workers": [{}],
    "tasks": [{"service": "1us", "count": 1000}])");
  CHECK(late.leases > std::uint64_t{0});
  CHECK(late.books.cancelled == 900);
  for (const auto& each : late.tasks)
    CHECK(each.finished <= duration{100'000});
}

TEST_CASE(
  "simulated tasks with deadlines of their own are leased, do not begin "
  "late, and are cancelled soon after their deadlines") {
  for (const std::string policy : {"shared_queue", "least_used"}) {
    CAPTURE(policy);
    auto all = leased(R"("policy": ")" + policy + R"(", "workers": [{}, {}],
      "tasks": [{"service": "1us", "count": 1000, "deadline": "100us"},
                {"service": "1us", "count": 500, "deadline_of":
                  {"distribution": "uniform", "low": "0us", "high": "400us"}},
                {"service": "1us", "count": 300}])");
    CHECK(all.leases > std::uint64_t{0});
    CHECK(all.books.completed + all.books.cancelled == 1800);
    CHECK(all.books.completed > 600);
    CHECK(all.books.cancelled > 800);
    constexpr auto late = 1800 * duration{100};
    for (std::size_t i = 0; i < all.tasks.size(); ++i) {
      const auto& each = all.tasks[i];
      auto deadline = each.submitted + duration{i < 1000 ? 100'000 : 400'000};
      if (each.is == poolsim::fate::completed && i < 1500)
        CHECK(each.started < deadline);
      if (each.is == poolsim::fate::cancelled)
        CHECK(each.finished < deadline + late);
    }
  }
}

TEST_CASE("leased simulated tasks that answer with errors are tried again") {
  for (const std::string policy : {"shared_queue", "least_used"}) {
    CAPTURE(policy);
    auto all = leased(R"("policy": ")" + policy + R"(", "workers": [{}, {}],
      "retry_on": {"errors": ["busy"]},
      "backoff": {"first": "10us", "most": "20us"},
      "tasks": [{"service": "1us", "count": 500, "errors": {"busy": 0.05}},
                {"service": "1us", "count": 500, "errors": {"lost": 0.05}}])");
    CHECK(all.leases > std::uint64_t{0});
    CHECK(all.books.completed == 1000);
    CHECK(all.errors.retried > 5);
    auto answered = std::uint64_t{0};
    for (const auto& each : all.tasks)
      answered += each.error > 0 ? 1 : 0;
    CHECK(all.errors.answered == answered);
    CHECK(answered > 10); // nobody tries "lost" again
  }
}

TEST_CASE("the scenarios that are derived by hand keep the invariants if "
          "simulated workers get several tasks together (leases)") {
  std::uint64_t leases = 0;
  test::for_each_pair_in(
    STORIES, [&](const std::string& scenario, const std::string&) {
      if (scenario.find("\"nodes\"") != std::string::npos)
        return;
      auto text = test::a_thousand_times_faster(R"({"leases": true, )"
                                                + scenario.substr(1));
      auto all = poolsim::simulate(poolsim::read_scenario(text));
      if (!all.messages)
        test::check_invariants({text, test::report_of(all)});
      leases += all.leases.value_or(0);
    });
  CHECK(leases > 0);
}

TEST_CASE("random simulations in which workers get several messages together "
          "(leases) settle all tasks") {
  for (auto seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    auto policy = seed % 2 == 0 ? "shared_queue" : "fair_queuing";
    auto all = leased(R"("seed": )" + std::to_string(seed) + R"(, "policy": ")"
                      + policy
                      + R"(", "workers": [{"count": 2}, {"join": "90us"},
           {"leave": "150us"}, {"crash": "200us", "count": 2}],
         "tasks": [{"flow": "a", "count": 400, "every": "400ns",
                    "service": {"distribution": "lognormal",
                                "mean": "1us", "sigma": 1}},
                   {"flow": "b", "count": 300, "at": "50us",
                    "service": {"distribution": "exponential",
                                "mean": "2us"}}],
         "clients": [{"flow": "c", "threads": 8, "calls": 30,
                      "service": "3us"}])");
    CHECK(all.leases > std::uint64_t{0});
    CHECK(all.books.completed + all.books.failed == 940);
  }
}

TEST_CASE("random simulations with leases keep the invariants at each time, "
          "with tasks that choose workers, take several seats, are estimated "
          "or have deadlines of their own") {
  std::uint64_t leases = 0;
  for (const auto& policy : libpool::managed_policies())
    for (auto seed = 1; seed <= (test::sanitized() ? 1 : 4); ++seed) {
      const auto members = R"("seed": )" + std::to_string(seed)
                           + R"(, "policy": ")" + std::string{policy.name}
                           + R"(", "capacity": 150,
         "workers": [{"count": 3}, {"join": "40us"}, {"leave": "70us"}],
         "tasks": [{"flow": "a", "count": 100, "every": "300ns", "home": 1,
                    "move": "500ns", "priority": 1,
                    "service": {"distribution": "exponential",
                                "mean": "1us"}},
                   {"flow": "b", "count": 100, "every": "500ns", "only": [0, 2],
                    "service": "2us", "width": 2, "estimate": "2us"},
                   {"flow": "c", "count": 50, "at": "20us", "only": [1],
                    "loose": true, "service": "900ns", "kind": "k"},
                   {"flow": "d", "count": 100, "every": "400ns",
                    "service": "1us", "priority": 2, "deadline_of":
                      {"distribution": "uniform", "low": "50us",
                       "high": "200us"}}])";
      CAPTURE(members);
      auto all = leased(members);
      CHECK(all.books.open() == 0);
      leases += all.leases.value_or(0);
      for (const std::string then : {"10us", "33333ns", "60us", "111111ns"})
        leased(std::string{members}.append(R"(, "until": ")").append(then)
               + '"');
    }
  CHECK(leases > 0);
}

} // namespace poolsim_leases_tests
