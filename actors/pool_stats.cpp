#include "libpool/actors/pool_stats.hpp"

#include <algorithm>

namespace libpool {

namespace {

duration mean(duration sum, std::uint64_t n) {
  return n > 0 ? sum / static_cast<duration::rep>(n) : duration{0};
}

/// By how much the counter has grown; zero if it is smaller than before, as
/// that of another pool may be.
template <class T>
T growth(const T& now, const T& earlier) {
  return now - std::min(now, earlier);
}

ledger since(const ledger& now, const ledger& earlier) {
  auto result = now;
  for (auto each : {&ledger::accepted, &ledger::refused, &ledger::completed,
                    &ledger::failed, &ledger::cancelled})
    result.*each = growth(now.*each, earlier.*each);
  return result;
}

all_workers_stats since(const all_workers_stats& now,
                        const all_workers_stats& earlier) {
  auto result = now;
  result.completed = growth(now.completed, earlier.completed);
  result.failed = growth(now.failed, earlier.failed);
  result.busy = growth(now.busy, earlier.busy);
  result.waited = growth(now.waited, earlier.waited);
  result.stolen = growth(now.stolen, earlier.stolen);
  result.waits = now.waits.since(earlier.waits);
  result.services = now.services.since(earlier.services);
  result.mean_wait = mean(result.waited, result.waits.count());
  result.mean_service = mean(result.busy, result.services.count());
  return result;
}

departure_counts since(const departure_counts& now,
                       const departure_counts& earlier) {
  return {growth(now.removed, earlier.removed),
          growth(now.crashed, earlier.crashed),
          growth(now.ended, earlier.ended)};
}

} // namespace

std::string describe(const member_stats& worker) {
  auto result = "worker " + std::to_string(worker.number);
  return worker.name.empty() ? result : result + " (" + worker.name + ')';
}

pool_stats pool_stats::since(const pool_stats& earlier) const {
  auto result = *this;
  result.members.clear();
  result.flows.clear();
  for (auto each :
       {&pool_stats::refused, &pool_stats::restarts, &pool_stats::retries,
        &pool_stats::leases, &pool_stats::lost_homes, &pool_stats::gathered,
        &pool_stats::hedged, &pool_stats::answered_with_error})
    result.*each = growth(this->*each, earlier.*each);
  result.tasks = libpool::since(tasks, earlier.tasks);
  result.total = libpool::since(total, earlier.total);
  result.departed = libpool::since(departed, earlier.departed);
  result.refusals = refusals.since(earlier.refusals);
  result.errors = errors.since(earlier.errors);
  return result;
}

} // namespace libpool
