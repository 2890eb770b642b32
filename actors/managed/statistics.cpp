#include "libpool/actors/managed/statistics.hpp"

#include "libpool/actors/caf/node_worker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace libpool {

namespace {

duration mean(duration sum, std::uint64_t n) {
  return n > 0 ? sum / static_cast<duration::rep>(n) : duration{0};
}

void add(worker_stats& result, const worker_record& record) {
  result.completed = record.completed;
  result.failed = record.failed;
  result.busy = record.busy;
  result.max_service = record.slowest;
  result.stolen = record.stolen;
  auto ended = record.completed + record.failed;
  result.mean_service = mean(record.busy, ended);
  result.mean_wait = mean(record.waited, ended);
}

all_workers_stats stats_of(const pool_record& record) {
  all_workers_stats result;
  add(result, record.all);
  result.waited = record.all.waited;
  result.waits = record.waits;
  result.services = record.services;
  return result;
}

/// Returns the start of the task; `never` if it has not begun, or waits for the
/// run of another task. If the handler has returned and only the answer is
/// missing, the dispatcher knows the start.
instant start_of(const managed_task& task) {
  if (task.carrier == nullptr)
    return task.is == task::condition::running && task.on != nullptr
             ? task.started
             : never;
  return task.carrier->has_started() ? task.carrier->started_at() : never;
}

/// When the worker has begun with the task that it runs; `never` if it runs
/// none.
instant start_of(const worker& worker) {
  auto result = never;
  for (const auto& each : worker.mailbox)
    result = std::min(result, start_of(static_cast<const managed_task&>(each)));
  return result;
}

std::string shown_name(const managed_worker& worker) {
  return worker.node != nullptr ? worker.node->node_name() : worker.name;
}

member_stats stats_of(const managed_worker& worker, bool is_timed) {
  member_stats result;
  add(result, worker.record);
  result.worker = worker.handle;
  result.number = static_cast<std::uint64_t>(worker.number);
  result.name = shown_name(worker);
  result.is_leaving = worker.is != worker::condition::serving;
  result.is_paused = worker.suspended;
  result.in_flight = worker.in_flight;
  if (is_timed)
    result.running_since = start_of(worker);
  return result;
}

/// Numbers of tasks that limits and pauses hold back, by flow. Names are looked
/// at for the largest numbers only: there may be very many flows.
class parked_flows {
public:
  void add(const std::string& name, const flow_gate* gate,
           std::uint64_t parked) {
    rows_.push_back({&name, gate, parked});
  }

  /// Calls `f` with the name, the gate and the sum of the numbers of flows that
  /// have the largest numbers. A flow may have several numbers.
  template <class F>
  void for_each_large(F f) {
    constexpr std::size_t most = 64;
    auto end = rows_.begin()
               + static_cast<std::ptrdiff_t>(std::min(most, rows_.size()));
    std::partial_sort(
      rows_.begin(), end, rows_.end(),
      [](const row& x, const row& y) { return x.parked > y.parked; });
    rows_.erase(end, rows_.end());
    std::map<std::string_view, row> by_name;
    for (const auto& each : rows_) {
      auto& sum = by_name.try_emplace(*each.name, row{each.name, each.gate, 0})
                    .first->second;
      sum.parked += each.parked;
    }
    for (const auto& [name, each] : by_name)
      f(*each.name, each.gate, each.parked);
  }

private:
  struct row {
    const std::string* name;
    const flow_gate* gate; // nullptr: none
    std::uint64_t parked;
  };

  std::vector<row> rows_;
};

void add_limits(limit_stats& stats, const throttle& within) {
  if (within.most_running)
    stats.most_running = *within.most_running;
  if (within.most_begun)
    stats.per_second = within.most_begun->per_second;
}

} // namespace

statistics::statistics(caf::actor_system& system, const sources& origins)
  : of_(origins),
    metrics_(pool_metrics::make(system, origins.options.name.c_str())) {
  // nop
}

pool_stats statistics::all() const {
  auto result = summary();
  for (auto* each : of_.staff.workers().all())
    result.members.push_back(stats_of(*each, of_.clock.measures()));
  return result;
}

pool_stats statistics::summary() const {
  pool_stats result;
  result.longest_running = first_start();
  result.taken = of_.clock.look();
  result.is_timed = of_.clock.measures();
  result.policy = of_.options.policy;
  result.tasks = all_tasks();
  result.refused = result.tasks.refused;
  result.oldest_waiting = oldest_waiting();
  add_workers(result);
  add_counts(result);
  result.flows = flows();
  return result;
}

void statistics::record(const recorder_limits& within) {
  of_.dispatcher.record(nullptr);
  recorder_.reset();
  for (auto* each : of_.dispatcher.tasks().all())
    if (each->has_notes())
      each->own_notes().recorded_client = 0;
  if (within.last > duration{0} && within.runs > 0)
    of_.dispatcher.record(&recorder_.emplace(within, of_.clock.look()));
}

/// Lists every nth of very many waiting tasks.
recording statistics::recorded(instant since) {
  if (!recorder_)
    return {};
  constexpr std::size_t most_listed = 4'096;
  auto result = recorder_->since(since, of_.clock.look());
  result.flows_are_clients = !of_.intake.has_flows();
  const auto tasks = all_tasks();
  const auto step = 1 + (tasks.waiting + tasks.assigned) / most_listed;
  std::uint64_t seen = 0;
  for (const auto* each : of_.dispatcher.tasks().all()) {
    const auto& known = static_cast<const managed_task&>(*each);
    auto waits = known.is < task::condition::sent || known.follows;
    if (waits && seen++ % step != 0)
      continue;
    auto client = known.element != nullptr ? of_.intake.client_of(known)
                                           : known.notes().recorded_client;
    if (!recorder_->add_open(known, client, start_of(known),
                             kind_name_of(known), result))
      break;
  }
  return result;
}

void statistics::add_workers(pool_stats& result) const {
  result.workers = of_.staff.workers().size();
  result.busy = of_.dispatcher.workers().busy();
  result.leaving = of_.staff.workers().leaving();
  result.stand_ins = of_.staff.stand_ins();
  result.wanted = of_.staff.wanted();
  result.wanted_why = of_.staff.wanted_why();
  result.slots = of_.staff.workers().seats();
  result.departed = of_.staff.departed();
  result.restarts = of_.staff.restarts();
  result.total = stats_of(of_.dispatcher.record());
}

void statistics::add_counts(pool_stats& result) const {
  const dispatcher_counts& counts = of_.dispatcher.record();
  static_cast<dispatcher_counts&>(result) = counts;
  result.capacity = of_.options.capacity.value_or(pool_stats::unlimited);
  result.held = of_.dispatcher.held();
  result.parked = of_.dispatcher.gates().held_back(result.taken);
  result.retrying = of_.dispatcher.retries().delayed();
  result.is_paused = of_.dispatcher.workers().is_suspended();
  result.overdue = of_.dispatcher.tasks().overdue();
  result.leases = of_.dispatcher.leases().count();
  result.gathered = of_.gathers.book().messages();
  result.hedged = of_.gathers.book().hedged();
  result.sees_answers = of_.intake.intercepts();
  result.error_answers = of_.answers.errors().count();
  result.answered_errors = of_.answers.errors().rows();
  result.limits = limits(result);
  if (auto queue = queue_.lock())
    result.failed_messages = queue->count().value_or(result.failed_messages);
}

/// Returns when the first of the tasks that were sent first has started;
/// `never` if none did, or times are not measured.
instant statistics::first_start() const {
  if (!of_.clock.measures())
    return never;
  auto result = never;
  for (auto* each : of_.dispatcher.tasks().sent(most_looked_at))
    result = std::min(result, start_of(static_cast<managed_task&>(*each)));
  return result;
}

/// When the oldest of the messages came that no worker has begun, as far as the
/// pool can take them back.
instant statistics::oldest_waiting() const {
  if (!of_.clock.measures())
    return never;
  const auto* task = of_.dispatcher.tasks().oldest_unsent();
  return std::min(of_.dispatcher.leases().oldest(),
                  task != nullptr ? task->accepted : never);
}

/// All tasks. Those that wait behind others at workers count as waiting.
ledger statistics::all_tasks() const {
  auto result = of_.dispatcher.books();
  of_.dispatcher.leases().count_as_unsent(result,
                                          of_.dispatcher.needs().is_eager);
  return result;
}

void statistics::update_metrics() {
  metrics_->show(all_tasks(), of_.staff.workers().size(), of_.staff.restarts());
}

/// The statistics of the flows with the most waiting messages.
std::vector<flow_stats> statistics::flows() const {
  return of_.dispatcher.flows(of_.options.top_flows);
}

/// The limits and pauses of flows, and the limits of the pool, that hold back
/// tasks. `known`: stats of the pool, as far as they are collected.
std::vector<limit_stats> statistics::limits(const pool_stats& known) const {
  constexpr std::size_t most = 32;
  const auto& gates = of_.dispatcher.gates();
  if (!gates.is_on())
    return {};
  auto now = known.taken;
  parked_flows flows;
  gates.for_each_closed(now, [&](const flow_gate& gate, auto parked) {
    flows.add(gate.name, &gate, parked);
  });
  std::vector<limit_stats> result;
  if (!gates.pool_is_open(now))
    if (auto row = limits_of_pool(known); row.parked > 0)
      result.push_back(std::move(row));
  flows.for_each_large(
    [&](const std::string& name, const flow_gate* gate, std::uint64_t parked) {
      auto& row = result.emplace_back();
      row.name = name;
      row.is_paused = gates.is_paused(name);
      row.parked = parked;
      add_limits(row,
                 gate != nullptr ? gate->reached(now) : gates.limits_for(name));
    });
  std::sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
    return std::tie(y.parked, x.name) < std::tie(x.parked, y.name);
  });
  result.resize(std::min(result.size(), most));
  return result;
}

/// The limits of all tasks, which hold back the tasks that no flow holds back.
limit_stats statistics::limits_of_pool(const pool_stats& known) const {
  limit_stats result;
  result.is_of_pool = true;
  auto others = known.parked + known.retrying;
  result.parked = known.tasks.waiting - std::min(known.tasks.waiting, others);
  add_limits(result, of_.dispatcher.gates().pool().reached(known.taken));
  return result;
}

} // namespace libpool
