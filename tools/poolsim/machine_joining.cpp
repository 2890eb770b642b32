/// Tasks that share runs: batches, and tasks that ask for the same result.

#include "machine.hpp"

#include <algorithm>
#include <string>

namespace poolsim {

/// Tasks of one kind go together in batches. Of a group whose tasks ask for the
/// same results, each asks for the next one in turn.
void machine::let_join(job& job) {
  const auto& work = *job.from.work;
  if (!scenario_.joint || (!scenario_.joint->is_batch && work.results == 0))
    return;
  job.is_alone = true;
  job.own_notes().run_key =
    scenario_.joint->is_batch
      ? work.kind
      : work.kind + ' ' + std::to_string(asked_[&work]++ % work.results);
}

/// Returns the service time of the run: of a batch, that of all its tasks, of
/// which they share a part.
duration machine::time_of_run(const job& leader, const server& server) const {
  auto result = time_of(leader, server);
  if (!has_joiners(leader) || !scenario_.joint->is_batch)
    return result;
  for (const auto& each : libpool::run_of(leader)->joiners) {
    auto own = time_of(static_cast<const job&>(each), server);
    result += own - std::min(own, scenario_.shared);
  }
  return result;
}

/// The task has ended with the run of another one.
void machine::note_joined(const job& joiner, const job& leader) {
  auto& row = books_.row(joiner.id);
  row.started = joiner.started.time_since_epoch();
  row.worker = books_.row(leader.id).worker;
  row.attempts = std::max(row.attempts, 1U);
  row.has_joined = true;
}

} // namespace poolsim
