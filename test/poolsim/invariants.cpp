/// Invariants of sums, times and places; the invariants of work are in another
/// file.

#include "poolsim/invariants.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>

namespace test {

namespace {

using nlohmann::json;
using ids = std::vector<std::size_t>;

std::int64_t count_of(const observed& run, const std::string& fate) {
  return std::count_if(
    run.tasks.begin(), run.tasks.end(),
    [&](const observed_task& each) { return each.fate() == fate; });
}

/// The tasks that a worker itself has run, with that fate.
ids tasks_on(const observed& run, std::size_t worker, const std::string& fate) {
  ids result;
  for (const auto& each : run.tasks)
    if (each.worker == worker && each.fate() == fate && !each.has_joined)
      result.push_back(each.id);
  return result;
}

ids sorted_ids(const json& list) {
  auto result = list.get<ids>();
  std::sort(result.begin(), result.end());
  return result;
}

void check_contains(const ids& all, const ids& some) {
  CHECK(std::includes(all.begin(), all.end(), some.begin(), some.end()));
}

std::int64_t run_of(const observed& run, const observed_task& task) {
  return task.started && !task.has_joined ? run.end_of(task) - *task.started
                                          : 0;
}

/// The seats of its worker that the task takes, at least.
std::size_t seats_of(const observed& run, const observed_task& task) {
  auto result = run.asked.workers[*task.worker].seats;
  for (const auto* each : run.works_of(task))
    result = std::min(result, each->width);
  return result;
}

// -- sums ---------------------------------------------------------------------

void check_worker_row(const observed& run, const json& row) {
  auto id = row.at("id").get<std::size_t>();
  auto completed = tasks_on(run, id, "completed");
  CHECK(row.at("completed") == completed.size());
  // A worker goes on with tasks of which the deadline has passed.
  if (may_cancel(run.asked))
    check_contains(sorted_ids(row.at("running")), tasks_on(run, id, "running"));
  else
    CHECK(sorted_ids(row.at("running")) == tasks_on(run, id, "running"));
  CHECK(sorted_ids(row.at("queued")) == tasks_on(run, id, "assigned"));
  std::int64_t busy = 0;
  for (const auto& each : run.tasks)
    if (each.worker == id)
      busy += run_of(run, each);
  // A worker that left may have begun a task that ran elsewhere in the end.
  // Runs that were answered with an error, and tried again, are not in the
  // rows.
  if (departure_of(run.asked.workers[id]) || may_cancel(run.asked)
      || run.asked.retry_on)
    CHECK(row.at("busy") >= busy);
  else
    CHECK(row.at("busy") == busy);
}

std::int64_t count_of(const observed& run, const std::string& flow,
                      const std::string& fate) {
  return std::count_if(run.tasks.begin(), run.tasks.end(),
                       [&](const observed_task& each) {
                         return each.flow == flow && each.fate() == fate;
                       });
}

/// The seats of a flow's tasks, on average, between two times.
double mean_seats(const observed& run, const std::string& flow,
                  std::int64_t from, std::int64_t to) {
  double sum = 0;
  for (const auto& each : run.tasks) {
    if (each.flow != flow || !each.started || each.has_joined)
      continue;
    auto overlap = std::min(to, run.end_of(each))
                   - std::max(from, *each.started);
    if (overlap > 0)
      sum += static_cast<double>(overlap)
             * static_cast<double>(seats_of(run, each));
  }
  return to == from ? 0 : sum / static_cast<double>(to - from);
}

void check_means(const observed& run, const json& row) {
  auto flow = row.at("flow").get<std::string>();
  auto windows = run.asked.measure;
  if (run.asked.measures_all)
    windows.emplace_back(0, run.number("now"));
  REQUIRE(row.at("mean_seats").size() == windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    auto [from, to] = windows[i];
    auto expected = mean_seats(run, flow, from.count(), to.count());
    CHECK(row.at("mean_seats")[i].get<double>()
          == doctest::Approx(expected).epsilon(1e-9));
  }
}

/// Checks the counts of the tasks for which `f` returns true.
template <class F>
void check_counts(const observed& run, const json& row, F f) {
  auto by_reason = std::map<std::string, json>{{"cancelled", json::object()},
                                               {"failed", json::object()}};
  std::vector<std::uint64_t> attempts;
  std::uint64_t answered = 0;
  std::uint64_t retried = 0;
  for (const auto& each : run.tasks) {
    if (!f(each))
      continue;
    if (auto i = by_reason.find(each.fate()); i != by_reason.end()) {
      auto& count = i->second[each.outcome.substr(each.fate().size() + 1)];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    answered += each.outcome.rfind("completed:", 0) == 0 ? 1U : 0U;
    retried += each.retried_errors;
    attempts.resize(std::max(attempts.size(), std::size_t{each.attempts}));
    if (each.attempts > 0)
      ++attempts[each.attempts - 1];
  }
  CHECK(row.at("cancelled_by") == by_reason["cancelled"]);
  CHECK(row.at("failed_by") == by_reason["failed"]);
  CHECK(row.at("errors").at("answered") == answered);
  CHECK(row.at("errors").at("retried") == retried);
  CHECK(row.at("attempts").at("tasks") == attempts);
  CHECK(row.at("attempts").at("most") == attempts.size());
}

void check_flow_row(const observed& run, const json& row) {
  auto flow = row.at("flow").get<std::string>();
  for (const char* fate :
       {"completed", "failed", "cancelled", "refused", "waiting"})
    CHECK(row.at(fate) == count_of(run, flow, fate));
  CHECK(row.at("submitted")
        == std::count_if(
          run.tasks.begin(), run.tasks.end(),
          [&](const observed_task& each) { return each.flow == flow; }));
  if (!somebody_leaves(run) && !may_cancel(run.asked) && !run.asked.retry_on)
    check_means(run, row);
  check_counts(run, row, [&](const auto& each) { return each.flow == flow; });
}

// -- times --------------------------------------------------------------------

bool may_take(const observed& run, const observed_task& task) {
  const auto& works = run.works_of(task);
  return std::any_of(works.begin(), works.end(), [&](const auto* each) {
    return each->draws
           || poolsim::run_time(run.asked, *each, run.like(*task.worker))
                  .count()
                == run_of(run, task);
  });
}

std::optional<poolsim::duration> fixed_deadline_of(const poolsim::work& of) {
  if (!of.deadline_of || of.deadline_of->draws)
    return std::nullopt;
  return of.deadline_of->fixed;
}

/// When the task is cancelled, if it has not ended before.
std::int64_t deadline_of(const observed& run, const observed_task& task) {
  const auto& works = run.works_of(task);
  auto result = std::numeric_limits<std::int64_t>::max();
  for (const auto* each : works)
    for (auto of : {each->deadline, fixed_deadline_of(*each)})
      if (works.size() == 1 && of)
        result = std::min(result, task.submitted + of->count());
  return result;
}

void check_times_of(const observed& run, const observed_task& task) {
  auto fate = task.fate();
  CHECK(task.submitted <= run.number("now"));
  if (fate != "cancelled") // may have started
    CHECK(task.started.has_value()
          == (fate == "completed" || fate == "failed" || fate == "running"));
  CHECK(task.finished.has_value()
        == (fate == "completed" || fate == "failed" || fate == "cancelled"));
  CHECK(task.finished.value_or(0) <= deadline_of(run, task));
  CHECK(task.retried_errors <= task.attempts);
  if (task.started) {
    CHECK(task.attempts > task.retried_errors);
    CHECK(task.submitted <= *task.started);
    CHECK(*task.started <= run.end_of(task));
    CHECK(run.end_of(task) <= run.number("now"));
    CHECK(task.outcome != "cancelled:hopeless");
    if (run.asked.time_limit)
      CHECK(run.end_of(task) - *task.started <= run.asked.time_limit->count());
  }
  if (fate == "completed" && !run.asked.joint)
    CHECK(may_take(run, task));
}

// -- places -------------------------------------------------------------------

void check_choice(const observed& run, const observed_task& task) {
  auto allows_it = [&](const poolsim::work* each) {
    if (!each->where || run.asked.choices[*each->where].loose)
      return true;
    const auto& only = run.asked.choices[*each->where].only;
    return std::binary_search(only.begin(), only.end(), *task.worker);
  };
  const auto& works = run.works_of(task);
  CHECK(std::any_of(works.begin(), works.end(), allows_it));
}

void check_presence(const observed& run, const observed_task& task) {
  const auto& worker = run.asked.workers[*task.worker];
  if (task.started)
    CHECK(*task.started >= worker.join.count());
  auto last = task.started ? run.end_of(task) : run.number("now");
  auto departure = departure_of(worker);
  if (!departure)
    return;
  CHECK(last <= departure->count());
  if (!task.finished) // a worker that leaves does not keep the task
    CHECK(run.number("now") < departure->count());
  if (task.fate() == "failed")
    CHECK(task.finished == worker.crash->count());
}

/// How the taken seats change, by time.
using changes = std::map<std::int64_t, std::int64_t>;

void check_seats(const observed& run) {
  std::vector<changes> of_workers(run.asked.workers.size());
  for (const auto& each : run.tasks)
    if (each.started && !each.has_joined) {
      auto seats = static_cast<std::int64_t>(seats_of(run, each));
      of_workers[*each.worker][*each.started] += seats;
      of_workers[*each.worker][run.end_of(each)] -= seats;
    }
  for (std::size_t i = 0; i < of_workers.size(); ++i) {
    std::int64_t taken = 0;
    for (auto [at, change] : of_workers[i]) {
      taken += change;
      CHECK(taken <= static_cast<std::int64_t>(run.asked.workers[i].seats));
    }
  }
}

} // namespace

bool somebody_leaves(const observed& run) {
  const auto& all = run.asked.workers;
  return std::any_of(all.begin(), all.end(), [](const auto& each) {
    return departure_of(each).has_value();
  });
}

void check_ledger(const observed& run) {
  const auto& ledger = run.result.at("ledger");
  auto entry = [&](const char* key) {
    return ledger.at(key).get<std::int64_t>();
  };
  for (const char* fate : {"completed", "failed", "cancelled", "refused",
                           "waiting", "assigned", "running"})
    CHECK(entry(fate) == count_of(run, fate));
  CHECK(entry("accepted")
        == entry("completed") + entry("failed") + entry("cancelled")
             + entry("waiting") + entry("assigned") + entry("running"));
  CHECK(entry("accepted") + entry("refused")
        == static_cast<std::int64_t>(run.tasks.size()));
}

void check_sums(const observed& run) {
  CHECK(run.result.at("workers").size() == run.asked.workers.size());
  for (const auto& row : run.result.at("workers"))
    check_worker_row(run, row);
  CHECK(run.result.at("flows").size() == run.asked.flows.size());
  for (const auto& row : run.result.at("flows"))
    check_flow_row(run, row);
  std::int64_t makespan = 0;
  std::uint64_t moves = 0;
  for (const auto& each : run.tasks) {
    makespan = std::max(makespan, each.finished.value_or(0));
    moves += each.moves;
  }
  check_counts(run, run.result, [](const auto&) { return true; });
  CHECK(run.number("makespan") == makespan);
  CHECK(run.result.at("steals") == moves);
  if (run.asked.until)
    CHECK(run.number("now") == run.asked.until->count());
}

void check_times(const observed& run) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    CAPTURE(i);
    const auto& each = run.tasks[i];
    CHECK(each.id == i);
    CHECK(each.submitted >= last);
    last = each.submitted;
    check_times_of(run, each);
  }
}

void check_places(const observed& run) {
  for (const auto& each : run.tasks) {
    CAPTURE(each.id);
    auto fate = each.fate();
    if (fate != "cancelled") // may have run
      CHECK(each.worker.has_value()
            == (fate != "waiting" && fate != "refused"));
    if (each.worker) {
      check_choice(run, each);
      check_presence(run, each);
    }
  }
  check_seats(run);
}

void check_invariants(const observed& run) {
  check_ledger(run);
  check_sums(run);
  check_times(run);
  check_places(run);
  check_no_worker_idles(run);
  check_no_gaps(run);
}

} // namespace test
