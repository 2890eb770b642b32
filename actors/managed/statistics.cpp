/// The statistics of a managed pool.

#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

namespace {

duration mean(duration sum, std::uint64_t n) {
  return n > 0 ? sum / static_cast<duration::rep>(n) : duration{0};
}

void add(worker_stats& result, const worker_record& from) {
  result.completed = from.completed;
  result.failed = from.failed;
  result.busy = from.busy;
  result.max_service = from.slowest;
  result.stolen = from.stolen;
  auto ended = from.completed + from.failed;
  result.mean_service = mean(from.busy, ended);
  result.mean_wait = mean(from.waited, ended);
}

all_workers_stats stats_of(const pool_record& from) {
  all_workers_stats result;
  add(result, from.all);
  result.waited = from.all.waited;
  result.waits = from.waits;
  result.services = from.services;
  return result;
}

/// Returns the start of the task; `never` if it has not begun. If the handler
/// has returned and only the answer is missing, the dispatcher knows the start.
instant start_of(const managed_task& task) {
  if (task.carrier == nullptr)
    return task.is == task::condition::running ? task.started : never;
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

/// The types of its message; empty if they are not known.
const std::string& kind_of(const managed_task& task) {
  return task.type_names != nullptr ? *task.type_names : task.kind_name;
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
  result.in_flight = worker.in_flight;
  if (is_timed)
    result.running_since = start_of(worker);
  return result;
}

} // namespace

/// Looks whether the task has started, and has ended and stands for another
/// one, of which no fact tells.
void managed_pool::note_start(managed_task& task) {
  auto* carrier = task.carrier;
  if (carrier == nullptr)
    return;
  if (carrier->lease() != nullptr)
    tell_ends(task, *worker_of(task).lease);
  if (carrier->has_started() && task.is == task::condition::sent)
    dispatcher_.started(task, now());
}

void managed_pool::note_starts(managed_worker& worker) {
  for (auto& each : worker.mailbox)
    note_start(static_cast<managed_task&>(each));
}

pool_stats managed_pool::collect_stats() {
  for (auto* each : roster_.all())
    note_starts(*each);
  auto result = collect_summary();
  for (auto* each : roster_.all())
    result.members.push_back(stats_of(*each, clock_.measures()));
  return result;
}

/// The same without members. Looks at few workers: those of whose messages ends
/// may not have been told, and those that were sent something first.
pool_stats managed_pool::collect_summary() {
  intake_.leases().for_each_untold(
    [&](worker_lease& each) { note_starts(each.worker); });
  pool_stats result;
  result.longest_running = note_first_starts();
  result.taken = clock_.look();
  result.is_timed = clock_.measures();
  result.policy = options_.policy;
  result.tasks = all_tasks();
  result.refused = result.tasks.refused;
  result.oldest_waiting = oldest_waiting();
  add_workers(result);
  add_counts(result);
  result.flows = flows();
  return result;
}

/// Messages of which no task was made wait as well, in the pool or in leases.
recording managed_pool::collect_recording(instant since) {
  for (auto* each : roster_.all())
    note_starts(*each);
  if (!recorder_)
    return {};
  auto result = recorder_->since(since, clock_.look());
  dispatcher_.for_each_open([&](const task& each) {
    const auto& known = static_cast<const managed_task&>(each);
    auto has_room = recorder_->add_open(known, start_of(known), result);
    if (has_room)
      result.open.back().kind = kind_of(known);
    return has_room;
  });
  auto add_line = [&](const waiting_line& line) {
    auto is_task = line.head != nullptr; // stands for the first one
    line.messages.for_each_time([&](instant came) {
      return std::exchange(is_task, false)
             || recorder_->add_waiting(line.flow, came, result);
    });
  };
  intake_.leases().for_each_untold([&](const worker_lease& each) {
    each.for_each_left([&](instant came) {
      return recorder_->add_waiting(each.from->flow, came, result);
    });
  });
  add_line(intake_.waiting().all());
  intake_.waiting().for_each_flow(add_line);
  return result;
}

void managed_pool::add_workers(pool_stats& result) const {
  result.workers = roster_.size();
  result.busy = dispatcher_.busy();
  result.leaving = roster_.leaving();
  result.slots = roster_.seats();
  result.departed = departed_;
  result.restarts = spawning_.replaced();
  result.total = stats_of(dispatcher_.record());
}

void managed_pool::add_counts(pool_stats& result) const {
  const auto& record = dispatcher_.record();
  result.capacity = options_.capacity.value_or(pool_stats::unlimited);
  result.held = dispatcher_.held();
  result.overdue = dispatcher_.overdue();
  result.refusals = record.refusals;
  result.errors = record.errors;
  result.retries = record.retries;
  result.leases = intake_.leases().count();
  result.lost_homes = dispatcher_.lost_homes();
  result.gathered = gathers_.messages();
  result.hedged = gathers_.hedged();
  result.answered_with_error = answers_.errors();
}

/// Looks which of the tasks that were sent first have started. Returns when the
/// first one of them did; `never` if none did, or times are not measured.
instant managed_pool::note_first_starts() {
  constexpr std::size_t most = 64;
  auto result = never;
  for (auto* each : dispatcher_.first_sent(most)) {
    auto& task = static_cast<managed_task&>(*each);
    note_start(task);
    result = std::min(result, start_of(task));
  }
  return clock_.measures() ? result : never;
}

/// When the oldest of the messages came that no worker has begun, as far as the
/// pool can take them back.
instant managed_pool::oldest_waiting() const {
  if (!clock_.measures())
    return never;
  auto result = never;
  auto add_line = [&](const waiting_line& line) {
    if (!line.messages.empty())
      result = std::min(result, line.messages.first_came());
  };
  add_line(intake_.waiting().all());
  intake_.waiting().for_each_flow(add_line);
  if (const auto* task = dispatcher_.oldest_unsent())
    result = std::min(result, task->accepted);
  intake_.leases().for_each_untold([&](const worker_lease& each) {
    each.for_each_left([&](instant came) {
      result = std::min(result, came);
      return false;
    });
  });
  return result;
}

/// All tasks, also of messages that wait, in the pool or in leases. A message
/// that goes from one of these places to another is counted once all the time.
ledger managed_pool::all_tasks() const {
  auto result = dispatcher_.books();
  auto waiting = intake_.waiting().behind_heads()
                 + intake_.leases().untold_messages();
  result.accepted += waiting;
  result.waiting += waiting;
  return result;
}

void managed_pool::show_metrics() {
  metrics_->show(all_tasks(), roster_.size(), spawning_.replaced());
}

/// The statistics of the flows with the most waiting messages.
std::vector<flow_stats> managed_pool::flows() const {
  if (!intake_.goes_by_lines())
    return dispatcher_.flows(options_.top_flows);
  auto result = dispatcher_.flows(std::numeric_limits<std::size_t>::max());
  std::unordered_map<std::string_view, flow_stats*> by_name;
  for (auto& each : result)
    by_name.emplace(each.name, &each);
  auto add = [&](const waiting_line& line, std::size_t unknown) {
    if (auto i = by_name.find(line.flow.name()); i != by_name.end())
      i->second->waiting += unknown;
  };
  intake_.waiting().for_each_flow([&](const waiting_line& each) {
    add(each, each.messages.size() - (each.head != nullptr ? 1 : 0));
  });
  intake_.leases().for_each_untold([&](const worker_lease& each) {
    if (each.from != nullptr)
      add(*each.from, each.unknown());
  });
  return longest(std::move(result), options_.top_flows);
}

} // namespace libpool
