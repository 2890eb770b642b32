/// The statistics of a managed pool.

#include "libpool/actors/managed/managed_pool.hpp"

#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace libpool {

namespace {

worker_stats stats_of(const worker_record& from) {
  worker_stats result;
  result.completed = from.completed;
  result.failed = from.failed;
  result.busy = from.busy;
  result.max_service = from.slowest;
  result.stolen = from.stolen;
  result.waits = from.waits;
  if (auto ended = from.completed + from.failed)
    result.mean_service = from.busy / static_cast<duration::rep>(ended);
  return result;
}

} // namespace

/// Looks which tasks of the worker have started, of which no fact tells.
void managed_pool::note_starts(managed_worker& worker) {
  for (auto& each : worker.mailbox) {
    auto* carrier = static_cast<managed_task&>(each).carrier;
    if (carrier != nullptr && carrier->lease() != nullptr)
      tell_ends(static_cast<managed_task&>(each), *carrier->lease());
    if (carrier != nullptr && carrier->has_started()
        && each.is == task::condition::sent)
      dispatcher_.started(each, now());
  }
}

pool_stats managed_pool::collect_stats() {
  pool_stats result;
  std::uint64_t left_to_workers = 0;
  for (auto* each : roster_.all()) {
    note_starts(*each);
    if (each->lease != nullptr)
      left_to_workers += each->lease->unknown();
    result.members.push_back(
      {stats_of(each->record), each->handle, each->in_flight});
  }
  result.workers = roster_.size();
  result.tasks = known_tasks();
  result.tasks.accepted += left_to_workers;
  result.tasks.waiting += left_to_workers;
  result.refused = result.tasks.refused;
  result.total = stats_of(roster_.total());
  result.restarts = spawning_.replaced();
  result.held = dispatcher_.held();
  result.leases = intake_.leases().count();
  result.lost_homes = dispatcher_.lost_homes();
  result.gathered = gathers_.messages();
  result.hedged = gathers_.hedged();
  result.answered_with_error = answers_.errors();
  result.flows = flows();
  return result;
}

/// All tasks but those that were left to workers several at a time, and of
/// whose ends nothing is known.
ledger managed_pool::known_tasks() const {
  auto result = dispatcher_.books();
  auto waiting = intake_.waiting().behind_heads();
  result.accepted += waiting;
  result.waiting += waiting;
  return result;
}

void managed_pool::show_metrics() {
  metrics_->show(known_tasks(), roster_.size(), spawning_.replaced());
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
  for (auto* each : roster_.all())
    if (each->lease != nullptr && each->lease->from != nullptr)
      add(*each->lease->from, each->lease->unknown());
  return longest(std::move(result), options_.top_flows);
}

} // namespace libpool
