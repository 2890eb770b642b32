/// The statistics of a managed pool.

#include "libpool/actors/managed/managed_pool.hpp"

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
    if (carrier != nullptr && carrier->has_started()
        && each.is == task::condition::sent)
      dispatcher_.started(each, now());
  }
}

pool_stats managed_pool::collect_stats() {
  pool_stats result;
  for (auto* each : roster_.all()) {
    note_starts(*each);
    result.members.push_back(
      {stats_of(each->record), each->handle, each->in_flight});
  }
  result.workers = roster_.size();
  result.tasks = dispatcher_.books();
  result.tasks.accepted += intake_.waiting().size();
  result.tasks.waiting += intake_.waiting().size();
  result.refused = result.tasks.refused;
  result.total = stats_of(roster_.total());
  result.restarts = spawning_.replaced();
  result.held = dispatcher_.held();
  result.lost_homes = dispatcher_.lost_homes();
  result.gathered = gathers_.messages();
  result.hedged = gathers_.hedged();
  result.answered_with_error = answers_.errors();
  result.flows = dispatcher_.flows(options_.top_flows);
  return result;
}

} // namespace libpool
