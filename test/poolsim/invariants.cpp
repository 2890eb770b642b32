/// Sums, times and places; what workers do in between is in another file.

#include "poolsim/invariants.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>

namespace test {

namespace {

using nlohmann::json;
using ids = std::vector<std::size_t>;

std::int64_t count_of(const observed& what, const std::string& fate) {
  return std::count_if(
    what.tasks.begin(), what.tasks.end(),
    [&](const observed_task& each) { return each.fate() == fate; });
}

bool somebody_leaves(const observed& what) {
  const auto& all = what.asked.workers;
  return std::any_of(all.begin(), all.end(), [](const auto& each) {
    return departure_of(each).has_value();
  });
}

/// The tasks of a worker with that fate.
ids tasks_on(const observed& what, std::size_t worker,
             const std::string& fate) {
  ids result;
  for (const auto& each : what.tasks)
    if (each.worker == worker && each.fate() == fate)
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

std::int64_t run_of(const observed& what, const observed_task& task) {
  return task.started ? what.end_of(task) - *task.started : 0;
}

/// What the task takes of its worker, at least.
std::size_t seats_of(const observed& what, const observed_task& task) {
  auto result = what.asked.workers[*task.worker].seats;
  for (const auto* each : what.works_of(task))
    result = std::min(result, each->width);
  return result;
}

// -- sums ---------------------------------------------------------------------

void check_worker_row(const observed& what, const json& row) {
  auto id = row.at("id").get<std::size_t>();
  auto completed = tasks_on(what, id, "completed");
  CHECK(row.at("completed") == completed.size());
  // A worker goes on with tasks of which the deadline has passed.
  if (has_deadlines(what.asked))
    check_contains(sorted_ids(row.at("running")),
                   tasks_on(what, id, "running"));
  else
    CHECK(sorted_ids(row.at("running")) == tasks_on(what, id, "running"));
  CHECK(sorted_ids(row.at("queued")) == tasks_on(what, id, "assigned"));
  std::int64_t busy = 0;
  for (const auto& each : what.tasks)
    if (each.worker == id)
      busy += run_of(what, each);
  // A worker that left may have begun what ran elsewhere in the end.
  if (departure_of(what.asked.workers[id]) || has_deadlines(what.asked))
    CHECK(row.at("busy") >= busy);
  else
    CHECK(row.at("busy") == busy);
}

std::int64_t count_of(const observed& what, const std::string& flow,
                      const std::string& fate) {
  return std::count_if(what.tasks.begin(), what.tasks.end(),
                       [&](const observed_task& each) {
                         return each.flow == flow && each.fate() == fate;
                       });
}

/// The seats of a flow's tasks, on average, between two times.
double mean_seats(const observed& what, const std::string& flow,
                  std::int64_t from, std::int64_t to) {
  double sum = 0;
  for (const auto& each : what.tasks) {
    if (each.flow != flow || !each.started)
      continue;
    auto overlap = std::min(to, what.end_of(each))
                   - std::max(from, *each.started);
    if (overlap > 0)
      sum += static_cast<double>(overlap)
             * static_cast<double>(seats_of(what, each));
  }
  return to == from ? 0 : sum / static_cast<double>(to - from);
}

void check_means(const observed& what, const json& row) {
  auto flow = row.at("flow").get<std::string>();
  auto windows = what.asked.measure;
  if (what.asked.measures_all)
    windows.emplace_back(0, what.number("now"));
  REQUIRE(row.at("mean_seats").size() == windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    auto [from, to] = windows[i];
    auto expected = mean_seats(what, flow, from.count(), to.count());
    CHECK(row.at("mean_seats")[i].get<double>()
          == doctest::Approx(expected).epsilon(1e-9));
  }
}

void check_flow_row(const observed& what, const json& row) {
  auto flow = row.at("flow").get<std::string>();
  for (const char* fate :
       {"completed", "failed", "cancelled", "refused", "waiting"})
    CHECK(row.at(fate) == count_of(what, flow, fate));
  CHECK(row.at("submitted")
        == std::count_if(
          what.tasks.begin(), what.tasks.end(),
          [&](const observed_task& each) { return each.flow == flow; }));
  if (!somebody_leaves(what) && !has_deadlines(what.asked))
    check_means(what, row);
}

// -- times --------------------------------------------------------------------

bool may_take(const observed& what, const observed_task& task) {
  const auto& works = what.works_of(task);
  return std::any_of(works.begin(), works.end(), [&](const auto* each) {
    return each->draws
           || poolsim::run_time(what.asked, *each, *task.worker).count()
                == run_of(what, task);
  });
}

/// When the task is cancelled, if it has not ended before.
std::int64_t deadline_of(const observed& what, const observed_task& task) {
  const auto& works = what.works_of(task);
  auto result = std::numeric_limits<std::int64_t>::max();
  for (const auto* each : works)
    if (works.size() == 1 && each->deadline)
      result = task.submitted + each->deadline->count();
  return result;
}

void check_times_of(const observed& what, const observed_task& task) {
  auto fate = task.fate();
  CHECK(task.submitted <= what.number("now"));
  if (fate != "cancelled") // may have started
    CHECK(task.started.has_value()
          == (fate == "completed" || fate == "failed" || fate == "running"));
  CHECK(task.finished.has_value()
        == (fate == "completed" || fate == "failed" || fate == "cancelled"));
  CHECK(task.finished.value_or(0) <= deadline_of(what, task));
  if (task.started) {
    CHECK(task.submitted <= *task.started);
    CHECK(*task.started <= what.end_of(task));
    CHECK(what.end_of(task) <= what.number("now"));
  }
  if (fate == "completed")
    CHECK(may_take(what, task));
}

// -- places -------------------------------------------------------------------

void check_choice(const observed& what, const observed_task& task) {
  auto allows_it = [&](const poolsim::work* each) {
    if (!each->where || what.asked.choices[*each->where].loose)
      return true;
    const auto& only = what.asked.choices[*each->where].only;
    return std::binary_search(only.begin(), only.end(), *task.worker);
  };
  const auto& works = what.works_of(task);
  CHECK(std::any_of(works.begin(), works.end(), allows_it));
}

void check_presence(const observed& what, const observed_task& task) {
  const auto& who = what.asked.workers[*task.worker];
  if (task.started)
    CHECK(*task.started >= who.join.count());
  auto last = task.started ? what.end_of(task) : what.number("now");
  auto departure = departure_of(who);
  if (!departure)
    return;
  CHECK(last <= departure->count());
  if (!task.finished) // whoever leaves leaves it behind
    CHECK(what.number("now") < departure->count());
  if (task.fate() == "failed")
    CHECK(task.finished == who.crash->count());
}

/// How the taken seats change, by time.
using changes = std::map<std::int64_t, std::int64_t>;

void check_seats(const observed& what) {
  std::vector<changes> of_workers(what.asked.workers.size());
  for (const auto& each : what.tasks)
    if (each.started) {
      auto seats = static_cast<std::int64_t>(seats_of(what, each));
      of_workers[*each.worker][*each.started] += seats;
      of_workers[*each.worker][what.end_of(each)] -= seats;
    }
  for (std::size_t i = 0; i < of_workers.size(); ++i) {
    std::int64_t taken = 0;
    for (auto [at, change] : of_workers[i]) {
      taken += change;
      CHECK(taken <= static_cast<std::int64_t>(what.asked.workers[i].seats));
    }
  }
}

} // namespace

void check_ledger(const observed& what) {
  const auto& ledger = what.result.at("ledger");
  auto entry = [&](const char* key) {
    return ledger.at(key).get<std::int64_t>();
  };
  for (const char* fate : {"completed", "failed", "cancelled", "refused",
                           "waiting", "assigned", "running"})
    CHECK(entry(fate) == count_of(what, fate));
  CHECK(entry("accepted")
        == entry("completed") + entry("failed") + entry("cancelled")
             + entry("waiting") + entry("assigned") + entry("running"));
  CHECK(entry("accepted") + entry("refused")
        == static_cast<std::int64_t>(what.tasks.size()));
}

void check_sums(const observed& what) {
  CHECK(what.result.at("workers").size() == what.asked.workers.size());
  for (const auto& row : what.result.at("workers"))
    check_worker_row(what, row);
  CHECK(what.result.at("flows").size() == what.asked.flows.size());
  for (const auto& row : what.result.at("flows"))
    check_flow_row(what, row);
  std::int64_t makespan = 0;
  std::uint64_t moves = 0;
  for (const auto& each : what.tasks) {
    makespan = std::max(makespan, each.finished.value_or(0));
    moves += each.moves;
  }
  CHECK(what.number("makespan") == makespan);
  CHECK(what.result.at("steals") == moves);
  if (what.asked.until)
    CHECK(what.number("now") == what.asked.until->count());
}

void check_times(const observed& what) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < what.tasks.size(); ++i) {
    CAPTURE(i);
    const auto& each = what.tasks[i];
    CHECK(each.id == i);
    CHECK(each.submitted >= last);
    last = each.submitted;
    check_times_of(what, each);
  }
}

void check_places(const observed& what) {
  for (const auto& each : what.tasks) {
    CAPTURE(each.id);
    auto fate = each.fate();
    if (fate != "cancelled") // may have run
      CHECK(each.worker.has_value()
            == (fate != "waiting" && fate != "refused"));
    if (each.worker) {
      check_choice(what, each);
      check_presence(what, each);
    }
  }
  check_seats(what);
}

void check_invariants(const observed& what) {
  check_ledger(what);
  check_sums(what);
  check_times(what);
  check_places(what);
  check_no_worker_idles(what);
  check_no_gaps(what);
}

} // namespace test
