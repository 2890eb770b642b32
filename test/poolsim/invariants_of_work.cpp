/// Invariants of work: no task waits, and no worker idles, without need.

#include "poolsim/invariants.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace test {

namespace {

using libpool::assignment;

struct span {
  std::int64_t from;
  std::int64_t to;
};

std::int64_t last_leave(const observed& run) {
  std::int64_t result = 0;
  for (const auto& each : run.asked.workers)
    if (auto departure = departure_of(each))
      result = std::max(result, departure->count());
  return result;
}

/// Whether tasks may wait although a worker is idle.
bool may_hold_back(const observed& run) {
  return !run.asked.throttles.is_empty() || !run.asked.events.empty()
         || run.asked.backoff;
}

/// Whether each worker gets one task at a time, and the policy gives it one
/// whenever it can. A worker that goes on after a deadline gets nothing.
bool is_work_conserving(const observed& run) {
  const auto& how = run.asked.how;
  auto is_narrow = [&](const observed_task& each) {
    return run.works_of(each).front()->width == 1;
  };
  auto has_window_of_one = [&](const poolsim::worker_settings& each) {
    return run.asked.window.value_or(each.seats) == 1;
  };
  return assignment_of(how) == assignment::lazy && !may_cancel(run.asked)
         && !may_hold_back(run)
         && how.placement.name()
              != "consistent_hash" // keeps loads in bounds instead
         && std::all_of(run.asked.workers.begin(), run.asked.workers.end(),
                        has_window_of_one)
         && (how.order.name() != "fair_queuing"
             || std::all_of(run.tasks.begin(), run.tasks.end(), is_narrow));
}

/// When each worker ran tasks, by start.
std::vector<std::vector<span>> runs_of_workers(const observed& run) {
  std::vector<std::vector<span>> result(run.asked.workers.size());
  for (const auto& each : run.tasks)
    if (each.started)
      result[*each.worker].push_back({*each.started, run.end_of(each)});
  for (auto& each : result)
    std::sort(each.begin(), each.end(),
              [](const span& x, const span& y) { return x.from < y.from; });
  return result;
}

/// When the worker was there, since `since`, and ran nothing.
std::vector<span> idle_spans(const std::vector<span>& runs, std::int64_t since,
                             std::int64_t now) {
  std::vector<span> result;
  for (const auto& each : runs) {
    if (since < each.from)
      result.push_back({since, each.from});
    since = std::max(since, each.to);
  }
  if (since < now)
    result.push_back({since, now});
  return result;
}

bool overlaps(const std::vector<span>& sorted, const span& given) {
  auto i = std::partition_point(
    sorted.begin(), sorted.end(),
    [&](const span& each) { return each.to <= given.from; });
  return i != sorted.end() && i->from < given.to;
}

/// Says when there are some of both kinds at once, if ever.
class meetings {
public:
  void add_waiting(const span& span) {
    ++changes_[span.from].waiting;
    --changes_[span.to].waiting;
  }

  void add_idle(const span& span) {
    ++changes_[span.from].idle;
    --changes_[span.to].idle;
  }

  std::optional<std::int64_t> first() const {
    change sum;
    for (const auto& [at, by] : changes_) {
      sum.waiting += by.waiting;
      sum.idle += by.idle;
      if (sum.waiting > 0 && sum.idle > 0)
        return at;
    }
    return std::nullopt;
  }

private:
  struct change {
    std::int64_t waiting = 0;
    std::int64_t idle = 0;
  };

  std::map<std::int64_t, change> changes_;
};

/// The workers that the task may run on, where it has no choice.
const std::vector<std::size_t>* strict_choice(const observed& run,
                                              const observed_task& task) {
  const auto& where = run.works_of(task).front()->where;
  if (!where || run.asked.choices[*where].loose)
    return nullptr;
  return &run.asked.choices[*where].only;
}

/// A worker with tasks, in the order of their acceptance, each of which starts
/// when it can.
void check_sequence(const observed& run, std::size_t worker,
                    const std::vector<const observed_task*>& tasks) {
  auto free = run.asked.workers[worker].join.count();
  auto is_stuck = false;
  for (const auto* each : tasks) {
    CAPTURE(each->id);
    if (!each->started) {
      is_stuck = true;
      CHECK(free >= run.number("now"));
      continue;
    }
    CHECK(!is_stuck);
    CHECK(*each->started == std::max(free, each->submitted));
    free = run.end_of(*each);
  }
}

bool binds_in_order(const observed& run) {
  const auto& how = run.asked.how;
  return assignment_of(how) == assignment::eager && how.order.name() == "fifo"
         && !run.asked.how.stealing && how.placement.name() != "consistent_hash"
         && !somebody_leaves(run) && !may_cancel(run.asked)
         && !may_hold_back(run);
}

} // namespace

void check_no_worker_idles(const observed& run) {
  if (!is_work_conserving(run))
    return;
  auto now = run.number("now");
  auto since = last_leave(run); // runs that ended early are not in the rows
  auto runs = runs_of_workers(run);
  std::vector<std::vector<span>> idle(runs.size());
  meetings all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& worker = run.asked.workers[i];
    if (!departure_of(worker))
      idle[i] = idle_spans(runs[i], std::max(since, worker.join.count()), now);
    for (const auto& each : idle[i])
      all.add_idle(each);
  }
  for (const auto& each : run.tasks) {
    const span waits{std::max(since, each.submitted),
                     each.started.value_or(each.finished.value_or(now))};
    if (each.fate() == "refused" || waits.from >= waits.to)
      continue;
    CAPTURE(each.id);
    if (const auto* only = strict_choice(run, each))
      for (auto worker : *only)
        CHECK(!overlaps(idle[worker], waits));
    else
      all.add_waiting(waits);
  }
  if (!run.asked.joint) // whose tasks wait for others
    CHECK(all.first() == std::nullopt);
}

void check_no_gaps(const observed& run) {
  if (!binds_in_order(run))
    return;
  std::vector<std::vector<const observed_task*>> by_worker(
    run.asked.workers.size());
  for (const auto& each : run.tasks)
    if (each.worker)
      by_worker[*each.worker].push_back(&each);
  for (std::size_t i = 0; i < by_worker.size(); ++i)
    if (run.asked.workers[i].seats == 1)
      check_sequence(run, i, by_worker[i]);
}

} // namespace test
