/// How a dispatcher counts and records the runs of handlers.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

namespace {

/// Returns why a run has failed that ended in this way.
errc reason_of(ending how) noexcept {
  switch (how) {
    case ending::lost:
      return errc::node_lost;
    case ending::to_be_retried:
      return errc::worker_failed;
    default:
      return errc::worker_crashed;
  }
}

/// Records a run that took the time `took`, with the outcome that it gives the
/// task. A task recorded as failed may run again.
void record_run(recorder& to, const task& task, worker_number on, duration took,
                ending how) {
  auto ended = task.started + took;
  if (task.unwanted != errc{})
    to.ran(task, on, ended, outcome::cancelled, task.unwanted);
  else if (how == ending::completed)
    to.ran(task, on, ended, outcome::completed, {});
  else
    to.ran(task, on, ended, outcome::failed, reason_of(how));
}

} // namespace

void dispatcher::note_run(const task& task, worker& on,
                          const handler_run& run) {
  auto wait = task.started - task.accepted;
  on.record.note(wait, run.took, run.how);
  record_.note(wait, run.took, run.how);
  if (recorder_ != nullptr)
    record_run(*recorder_, task, on.number, run.took, run.how);
  if (run.how == ending::completed)
    watch_.completed(task, run.took);
  if (run.how == ending::completed && run.took > duration{0}
      && leases_.are_on())
    leases_.note(run.took);
  if (run.how == ending::completed)
    on.slowest_lately = std::max(run.took,
                                 on.slowest_lately - on.slowest_lately / 8);
}

} // namespace libpool
