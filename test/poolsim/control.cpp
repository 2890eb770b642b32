/// Pauses, limits, cancels, errors and retries in random simulations.

#include "libpool/policies/catalogue.hpp"
#include "poolsim/invariants.hpp"
#include "poolsim/random_control.hpp"
#include "poolsim/runs.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace poolsim_control_tests {

namespace {

using poolsim::duration;
using poolsim::fate;
using poolsim::task_run;
using poolsim::user_event;

using action = user_event::action;
using ending = task_run::ending;
using runs = std::vector<task_run>;

/// A scenario with its result, and all runs by their starts.
struct played {
  explicit played(const std::string& of)
    : text("{" + of + "}"), asked(poolsim::read_scenario(text)) {
    result = poolsim::simulate(
      asked, [this](const task_run& each) { all.push_back(each); });
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
      return x.started < y.started;
    });
  }

  std::string text;
  poolsim::scenario asked;
  poolsim::result result;
  runs all;
};

std::string with_policy(const libpool::recipe& policy,
                        const std::string& members) {
  return R"("policy": ")" + std::string{policy.name} + R"(", )" + members;
}

/// Number of scenarios for each policy.
std::uint64_t seeds() {
  return test::soaks() ? 300 : test::sanitized() ? 2 : 5;
}

// -- laws ---------------------------------------------------------------------

bool is_in_scope(const user_event& scope, const task_run& run) {
  return (!scope.flow || run.flow == *scope.flow)
         && (!scope.worker || run.worker == *scope.worker);
}

/// Returns the time at which the pause, which is an event of the scenario,
/// ends.
duration end_of(const poolsim::scenario& of, const user_event& pause) {
  for (const auto& each : of.events)
    if (each.is == action::resume && each.at >= pause.at
        && each.flow == pause.flow && each.worker == pause.worker)
      return each.at;
  return duration::max();
}

void check_no_start_in_pauses(const played& run) {
  for (const auto& pause : run.asked.events) {
    if (pause.is != action::pause)
      continue;
    auto end = end_of(run.asked, pause);
    for (const auto& each : run.all)
      if (is_in_scope(pause, each))
        CHECK((each.started <= pause.at || each.started >= end));
  }
}

/// Limits from `from` on.
struct limits_since {
  duration from{0};
  libpool::throttles within;
};

std::vector<limits_since> limits_of(const poolsim::scenario& of) {
  std::vector<limits_since> result{{duration{0}, of.throttles}};
  for (const auto& each : of.events)
    if (each.within != nullptr)
      result.push_back({each.at, *each.within});
  return result;
}

const libpool::throttle& limit_on(const libpool::throttles& within,
                                  const std::string& flow) {
  auto i = within.of_flows.find(flow);
  return i == within.of_flows.end() ? within.of_each_flow : i->second;
}

/// Checks that at most as many of the runs, which are those of a flow or all,
/// go on at each start as the limit says. The limit holds from `from` to `to`.
void check_cap(const runs& all, const libpool::throttle& limit, duration from,
               duration to) {
  if (!limit.most_running)
    return;
  for (const auto& start : all) {
    if (start.started <= from || start.started >= to)
      continue;
    auto goes_on = [&](const task_run& each) {
      return each.started <= start.started && each.ended > start.started;
    };
    auto running = std::count_if(all.begin(), all.end(), goes_on);
    CHECK(static_cast<std::size_t>(running) <= *limit.most_running);
  }
}

/// Checks that the starts keep to the rate in each window of time. A task that
/// has begun before is a retry, as far as it is no run of a worker that left.
void check_rate(const runs& all, const libpool::throttle& limit, duration from,
                duration to) {
  if (!limit.most_begun)
    return;
  std::vector<duration> starts;
  std::set<std::size_t> begun;
  for (const auto& each : all) {
    auto is_retry = !begun.insert(each.task).second;
    if (each.started > from && each.started < to
        && (!is_retry || limit.most_begun->counts_retries))
      starts.push_back(each.started);
  }
  for (std::size_t i = 0; i < starts.size(); ++i)
    for (auto j = i; j < starts.size(); ++j) {
      auto seconds = static_cast<double>((starts[j] - starts[i]).count()) / 1e9;
      CHECK(static_cast<double>(j - i + 1)
            <= static_cast<double>(limit.most_begun->burst)
                 + limit.most_begun->per_second * seconds + 1e-6);
    }
}

void check_limits(const played& run) {
  auto limits = limits_of(run.asked);
  std::vector<runs> by_flow(run.asked.flows.size());
  for (const auto& each : run.all)
    by_flow[each.flow].push_back(each);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    auto from = limits[i].from - duration{i == 0 ? 1 : 0};
    auto to = i + 1 < limits.size() ? limits[i + 1].from : duration::max();
    check_cap(run.all, limits[i].within.of_all, from, to);
    for (std::size_t flow = 0; flow < by_flow.size(); ++flow) {
      const auto& limit = limit_on(limits[i].within, run.asked.flows[flow]);
      check_cap(by_flow[flow], limit, from, to);
      check_rate(by_flow[flow], limit, from, to);
    }
  }
}

/// Checks that a task has as many runs as attempts, and none after its end.
void check_attempts(const played& run) {
  std::map<std::size_t, std::uint32_t> attempts;
  std::map<std::size_t, std::uint32_t> errors;
  for (const auto& each : run.all) {
    const auto& row = run.result.tasks[each.task];
    attempts[each.task] += each.how == ending::interrupted ? 0U : 1U;
    errors[each.task] += each.how == ending::error ? 1U : 0U;
    if (row.finished != poolsim::not_yet)
      CHECK(each.started <= row.finished);
  }
  for (std::size_t i = 0; i < run.result.tasks.size(); ++i) {
    CAPTURE(i);
    const auto& row = run.result.tasks[i];
    auto is_error = row.is == fate::completed && row.error > 0;
    CHECK(row.attempts == attempts[i]);
    CHECK(errors[i] == row.retried_errors + (is_error ? 1U : 0U));
    CHECK(row.retried_errors <= 3);
    if (!run.asked.retry_on)
      CHECK(row.retried_errors == 0);
    CHECK((!row.is_over_budget || (run.asked.budget && is_error)));
  }
}

/// Checks that runs longer than the time limit are cancelled when they reach
/// it, and that their workers begin nothing until these runs end.
void check_time_limit(const played& run) {
  if (!run.asked.time_limit)
    return;
  auto limit = *run.asked.time_limit;
  for (const auto& each : run.result.tasks)
    if (each.is == fate::cancelled && each.why == libpool::errc::time_limit)
      CHECK(each.finished == each.started + limit);
  for (const auto& each : run.all) {
    auto over = each.started + limit;
    if (each.ended <= over)
      continue;
    CHECK(run.result.tasks[each.task].is == fate::cancelled);
    CHECK(run.result.tasks[each.task].finished <= over);
    for (const auto& other : run.all)
      if (other.worker == each.worker)
        CHECK((other.started <= over || other.started >= each.ended));
  }
}

/// Checks that each parked task is parked in its flow.
void check_parked(const poolsim::result& of) {
  double sum = 0;
  for (const auto& each : of.flows) {
    sum += each.parked.mean;
    CHECK(each.parked.most <= of.parked.most);
  }
  CHECK(sum == doctest::Approx(of.parked.mean).epsilon(1e-9));
}

/// Checks the counts of events, and the sums of pauses.
void check_events(const played& run) {
  std::uint64_t cancelled = 0;
  duration paused{0};
  REQUIRE(run.result.events.size() == run.asked.events.size());
  for (std::size_t i = 0; i < run.asked.events.size(); ++i) {
    const auto& event = run.asked.events[i];
    const auto& row = run.result.events[i];
    cancelled += row.waiting + row.running;
    if (event.is != action::pause)
      continue;
    auto end = end_of(run.asked, event);
    CHECK(row.quiet < end);
    if (event.is_of_pool())
      paused += end - event.at;
    if (row.quiet == poolsim::not_yet)
      continue;
    for (const auto& each : run.all)
      if (is_in_scope(event, each) && each.started <= event.at)
        CHECK(each.ended <= row.quiet);
  }
  CHECK(run.result.cancelled_by[libpool::errc::cancelled] == cancelled);
  CHECK(run.result.paused == paused);
}

bool is_settled(const poolsim::task_row& row) {
  return row.finished != poolsim::not_yet;
}

/// Checks that the books balance if the clock stops at `then`, and that all
/// tasks that are settled by then have the outcomes of the whole simulation.
void check_at(const std::string& members, const played& whole, duration then) {
  CAPTURE(then.count());
  const played part{members + R"(, "until": )" + std::to_string(then.count())};
  CHECK(part.result.books.balances());
  test::check_ledger({part.text, test::report_of(part.result)});
  for (std::size_t i = 0; i < part.result.tasks.size(); ++i) {
    const auto& now = part.result.tasks[i];
    const auto& later = whole.result.tasks[i];
    CHECK(is_settled(now) == (is_settled(later) && later.finished <= then));
    if (!is_settled(now))
      continue;
    CHECK(now.is == later.is);
    CHECK(now.finished == later.finished);
    CHECK(now.attempts == later.attempts);
  }
}

/// Checks all laws, also for a clock that stops after some units of time.
/// Returns the number of leases.
std::uint64_t check_laws(const std::string& members, std::int64_t unit) {
  CAPTURE(members);
  const played run{members};
  test::check_invariants({run.text, test::report_of(run.result)});
  check_no_start_in_pauses(run);
  check_limits(run);
  check_attempts(run);
  check_time_limit(run);
  check_parked(run.result);
  check_events(run);
  CHECK(run.result.books.open() == 0);
  for (auto then : {1, 4, 9, 16})
    check_at(members, run, duration{then * unit});
  return run.result.leases.value_or(0);
}

/// Checks that each accepted task is in one state, and that the rows of the
/// tasks have the outcomes that the pool has counted.
void check_books(const poolsim::result& of) {
  std::map<fate, std::uint64_t> rows;
  for (const auto& each : of.tasks)
    ++rows[each.is];
  CHECK(of.books.balances());
  CHECK(rows[fate::completed] == of.books.completed);
  CHECK(rows[fate::failed] == of.books.failed);
  CHECK(rows[fate::cancelled] == of.books.cancelled);
  CHECK(rows[fate::refused] == of.books.refused);
}

/// Checks the counts of a scenario whose tasks are at nodes, or are parts of
/// messages.
void check_counts(const std::string& members) {
  CAPTURE(members);
  const auto all = test::simulated(members);
  check_books(all);
  CHECK(all.books.open() == 0);
  CHECK((!all.messages || all.messages->open == 0));
  std::uint64_t cancelled = 0;
  for (const auto& each : all.events)
    cancelled += each.waiting + each.running;
  CHECK(all.cancelled_by[libpool::errc::cancelled] == cancelled);
  for (const auto& each : all.tasks)
    CHECK(each.retried_errors <= each.attempts);
  for (auto then : {2, 5, 11})
    check_books(test::simulated(members + R"(, "until": ")"
                                + std::to_string(then) + "ms\""));
}

} // namespace

TEST_CASE("random simulations with nodes settle all tasks if users pause, "
          "limit, cancel and retry them") {
  for (const std::string policy :
       {"shared_queue", "fair_queuing", "earliest_deadline", "least_used"})
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
      check_counts(
        R"("policy": ")" + policy + R"(", )"
        + test::random_control{seed, policy != "least_used"}.with_nodes());
}

TEST_CASE("random simulations with gathers answer all messages if users pause, "
          "limit, cancel and retry them") {
  for (const auto& gather : libpool::gathering_policies())
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
      check_counts(R"("policy": "shared_queue", "gather": ")"
                   + std::string{gather.name} + R"(", )"
                   + test::random_control{seed, true}.with_workers());
}

TEST_CASE("random simulations with pauses, limits, cancels, errors and retries "
          "keep the laws of pools under every policy") {
  for (const auto& policy : libpool::managed_policies()) {
    auto is_lazy = assignment_of(policy) == libpool::assignment::lazy;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
      check_laws(
        with_policy(policy, test::random_control{seed, is_lazy}.with_workers()),
        1'000'000);
  }
}

TEST_CASE("random simulations with leases keep the laws of pools if users "
          "pause, limit, cancel and retry tasks") {
  std::uint64_t leases = 0;
  for (const auto& policy : libpool::managed_policies()) {
    auto is_lazy = assignment_of(policy) == libpool::assignment::lazy;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
      leases += check_laws(
        test::a_thousand_times_faster(with_policy(
          policy, test::random_control{seed, is_lazy}.with_leases())),
        1'000);
  }
  CHECK(leases > 0);
}

} // namespace poolsim_control_tests
