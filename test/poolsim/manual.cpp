/// The scenarios of docs/poolsim.md, and the figures that the page states.

#include "poolsim/invariants.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace poolsim_manual_tests {

namespace {

using libpool::errc;

std::string page() {
  std::ifstream in{MANUAL};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The indented objects of the page, except for ones with an ellipsis.
std::vector<std::string> scenarios_of(const std::string& page) {
  std::vector<std::string> result;
  std::istringstream lines{page};
  std::string open;
  for (std::string line; std::getline(lines, line);) {
    if (open.empty() && line.rfind("    {", 0) != 0)
      continue;
    open += line.substr(line.find_first_not_of(' ')) + ' ';
    if (std::count(open.begin(), open.end(), '{')
        != std::count(open.begin(), open.end(), '}'))
      continue;
    result.push_back(open);
    open.clear();
  }
  return result;
}

/// The first scenario of the page with this text.
std::string scenario_with(const std::string& text) {
  for (const auto& each : scenarios_of(page()))
    if (each.find(text) != std::string::npos)
      return each;
  FAIL("no scenario has " << text);
  return {};
}

std::string replaced(std::string in, const std::string& what,
                     const std::string& by) {
  auto at = in.find(what);
  REQUIRE(at != std::string::npos);
  return in.replace(at, what.size(), by);
}

poolsim::result played(const std::string& scenario) {
  return poolsim::simulate(poolsim::read_scenario(scenario));
}

std::string formatted(const char* how, double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), how, number);
  return text.data();
}

bool page_has(const std::string& text) {
  return page().find(text) != std::string::npos;
}

/// The row of the table of retries.
std::string row_of(const std::string& busy, const std::string& rule,
                   const poolsim::result& of) {
  auto attempts = of.attempts.most == 1 ? "1"
                                        : formatted("%.2f", of.attempts.mean);
  return "| " + busy + " | " + rule + " | " + std::to_string(of.errors.answered)
         + " | " + attempts + " | "
         + formatted("%.0f ms", test::ms(of.latency.response.p99)) + " |";
}

} // namespace

TEST_CASE(
  "each scenario of the manual is valid, and all its tasks are settled") {
  auto all = scenarios_of(page());
  CHECK(all.size() >= 5);
  for (const auto& each : all) {
    CAPTURE(each);
    const auto result = played(each);
    CHECK(result.books.balances());
    CHECK(result.books.open() == 0);
    if (!result.nodes && !result.messages && result.tasks.size() <= 2000)
      test::check_invariants({each, test::report_of(result)});
  }
}

TEST_CASE("the manual states the figures of each policy with a slow worker") {
  auto scenario = scenario_with("fair_share");
  for (const std::string policy :
       {"shared_queue", "fair_share", "managed_round_robin"}) {
    auto all = played(replaced(scenario, "fair_share", policy));
    auto response = all.latency.response;
    CHECK(page_has("| `" + policy + "` | "
                   + formatted("%.2f ms", test::ms(response.mean)) + " | "
                   + formatted("%.0f ms", test::ms(response.p99)) + " | "
                   + formatted("%.1f ms", test::ms(all.makespan)) + " |"));
  }
}

TEST_CASE(
  "the manual states the figures of its scenario with nodes, by window") {
  auto scenario = scenario_with("nodes");
  for (const std::string window : {"4", "16", "24", "32", "1024"}) {
    CAPTURE(window);
    auto all = played(replaced(scenario, "16", window));
    REQUIRE(all.nodes);
    auto makespan = test::ms(all.makespan);
    auto row = " | " + std::to_string(all.nodes->lost) + " | "
               + (makespan < 1000 ? formatted("%.0f ms", makespan)
                                  : formatted("%.2f s", makespan / 1000))
               + " | " + formatted("%.2g s", test::ms(all.nodes->idle) / 1000)
               + " |";
    CHECK(page_has("| " + window
                   + (window == "1024" ? ": as many as the nodes ask for" : "")
                   + row));
  }
}

TEST_CASE("the manual states the figures of its scenario with retries") {
  auto scenario = scenario_with("retry_on");
  auto plain = replaced(scenario,
                        R"(, "retry_on": {"errors": ["busy"], "attempts": 4}, )"
                        R"("backoff": {"first": "10ms"})",
                        "");
  auto budgeted = replaced(scenario, R"("backoff")",
                           R"("retry_budget": {}, "backoff")");
  for (const std::string busy : {"0.2", "0.9"}) {
    auto with = [&](const std::string& text) {
      return played(replaced(text, "0.2", busy));
    };
    CHECK(page_has(row_of(busy, "unset", with(plain))));
    CHECK(page_has(row_of(busy, "4 attempts", with(scenario))));
    CHECK(page_has(
      row_of(busy, "4 attempts, with `retry_budget`", with(budgeted))));
  }
}

TEST_CASE("the manual states the figures of its scenario with handlers that "
          "hang") {
  auto scenario = scenario_with("time_limit");
  auto check_row = [](const std::string& key, const std::string& text) {
    auto all = played(text);
    auto cancelled = [&](errc why) {
      return " | " + std::to_string(all.cancelled_by[why]);
    };
    CHECK(page_has(
      "| " + key + " | " + std::to_string(all.books.completed)
      + cancelled(errc::deadline_exceeded) + cancelled(errc::time_limit)
      + cancelled(errc::hopeless) + " | "
      + formatted("%.0f ms", test::ms(all.latency.response.p99)) + " |"));
  };
  check_row("none", scenario);
  for (const std::string key :
       {R"("drop_hopeless": true)", R"("stand_ins": 2)", R"("stand_ins": 4)"})
    check_row('`' + key + '`', replaced(scenario, R"("time_limit": "100ms")",
                                        R"("time_limit": "100ms", )" + key));
  check_row(R"(`"obeys_stop": true`, of the tasks)",
            replaced(scenario, R"("count": 10000)",
                     R"("count": 10000, "obeys_stop": true)"));
}

TEST_CASE("the manual states the figures of its scenario of a day") {
  auto scenario = scenario_with("autoscale");
  auto begin = scenario.find(R"({"least": 2)");
  REQUIRE(begin != std::string::npos);
  auto rule = scenario.substr(begin, scenario.find('}', begin) + 1 - begin);
  auto check_row = [&](const std::string& name, const std::string& other) {
    auto all = played(replaced(scenario, rule, other));
    const auto& wait = all.latency.wait;
    auto row = "| " + name;
    for (auto number :
         {all.size->worker_hours, static_cast<double>(all.size->starts),
          test::ms(wait.p50), test::ms(wait.p95), test::ms(wait.p99)})
      row += " | " + formatted("%.0f", number);
    CAPTURE(row);
    CHECK(page_has(row + " |"));
  };
  auto with = [&](const std::string& members) {
    return replaced(rule, "}", ", " + members + "}");
  };
  auto poolifier = [](const std::string& more) {
    return R"({"rule": "poolifier", "least": 2, "most": 60)" + more + "}";
  };
  check_row("`autoscale` as above", rule);
  check_row("`autoscale`, `cooldown` 5 min", with(R"("cooldown": "300s")"));
  check_row("`poolifier`", poolifier(""));
  check_row("`poolifier`, not `one_by_one`",
            poolifier(R"(, "one_by_one": false)"));
  for (const std::string n : {"22", "23", "40"})
    check_row("fixed, " + n, R"({"least": )" + n + R"(, "most": )" + n + "}");
}

TEST_CASE("the manual states the figures of its scenario of an overload, in "
          "which shedding keeps 90 % of the most that workers can do") {
  auto scenario = scenario_with("shed");
  auto plain = replaced(scenario, R"("shed": {})", R"("seed": 1)");
  auto goodput = [](const std::string& text) {
    auto all = played(text);
    return static_cast<double>(all.books.completed)
           / (test::ms(all.makespan) / 1000);
  };
  auto most = 0.0;
  for (auto [load, gap] : {std::pair{"0.5", "5000us"},
                           {"1", "2500us"},
                           {"1.5", "1667us"},
                           {"2", "1250us"},
                           {"3", "833us"}}) {
    auto with = goodput(replaced(scenario, "2500us", gap));
    auto row = std::string{"| "} + load + " | " + gap + " | "
               + formatted("%.0f", goodput(replaced(plain, "2500us", gap)))
               + " | " + formatted("%.0f", with) + " |";
    CAPTURE(row);
    CHECK(page_has(row));
    most = std::max(most, with);
    CHECK((load != std::string{"3"} || with >= 0.9 * most));
  }
}

TEST_CASE("the manual states the figures of its scenario with a playhead") {
  auto scenario = scenario_with("playhead");
  auto obeying = played(scenario);
  auto other = played(replaced(scenario, R"(, "obeys_stop": true)", ""));
  CHECK(
    page_has("gets " + std::to_string(obeying.flows[0].completed) + " frames"));
  for (const auto* each : {&obeying, &other})
    CHECK(page_has("ready at "
                   + formatted("%.2f s", test::ms(each->makespan) / 1000)));
  CHECK(obeying.makespan < other.makespan);
}

} // namespace poolsim_manual_tests
