#include "libpool/actors/pool_stats.hpp"

namespace libpool {

namespace {

duration mean(duration sum, std::uint64_t n) {
  return n > 0 ? sum / static_cast<duration::rep>(n) : duration{0};
}

ledger since(const ledger& now, const ledger& earlier) {
  auto result = now;
  result.accepted -= earlier.accepted;
  result.refused -= earlier.refused;
  result.completed -= earlier.completed;
  result.failed -= earlier.failed;
  result.cancelled -= earlier.cancelled;
  return result;
}

all_workers_stats since(const all_workers_stats& now,
                        const all_workers_stats& earlier) {
  auto result = now;
  result.completed -= earlier.completed;
  result.failed -= earlier.failed;
  result.busy -= earlier.busy;
  result.waited -= earlier.waited;
  result.stolen -= earlier.stolen;
  result.waits = now.waits.since(earlier.waits);
  result.services = now.services.since(earlier.services);
  result.mean_wait = mean(result.waited, result.waits.count());
  result.mean_service = mean(result.busy, result.services.count());
  return result;
}

departure_counts since(const departure_counts& now,
                       const departure_counts& earlier) {
  return {now.removed - earlier.removed, now.crashed - earlier.crashed,
          now.ended - earlier.ended};
}

} // namespace

pool_stats pool_stats::since(const pool_stats& earlier) const {
  auto result = *this;
  result.members.clear();
  result.flows.clear();
  result.refused -= earlier.refused;
  result.tasks = libpool::since(tasks, earlier.tasks);
  result.total = libpool::since(total, earlier.total);
  result.departed = libpool::since(departed, earlier.departed);
  result.restarts -= earlier.restarts;
  result.refusals = refusals.since(earlier.refusals);
  result.errors = errors.since(earlier.errors);
  result.retries -= earlier.retries;
  result.leases -= earlier.leases;
  result.lost_homes -= earlier.lost_homes;
  result.gathered -= earlier.gathered;
  result.hedged -= earlier.hedged;
  result.answered_with_error -= earlier.answered_with_error;
  return result;
}

} // namespace libpool
