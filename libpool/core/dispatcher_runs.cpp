/// How a dispatcher counts and records the runs of handlers.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

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

} // namespace

void dispatcher::note_run(const task& task, worker& on,
                          const handler_run& run) {
  auto wait = task.attempt().started - task.accepted;
  on.record.note(wait, run.took, run.how);
  record_.note(wait, run.took, run.how);
  if (recorder_ != nullptr)
    record_run(task, on, run);
  if (run.how == ending::completed && limits_.drop_hopeless) {
    // At the time limit the client is answered, however long the handler runs.
    auto took = std::min(run.took, limits_.time_limit.value_or(run.took));
    if (task.unwanted == errc{})
      estimates_.add(task.kind, took);
    else
      estimates_.add_stopped(task.kind, took);
  }
  if (run.how == ending::completed && leases_.are_on())
    leases_.note(run.took);
  if (run.how == ending::completed)
    on.slowest_lately = std::max(run.took,
                                 on.slowest_lately - on.slowest_lately / 8);
}

/// Records the run with the outcome that it gives the task. A task recorded as
/// failed may run again.
void dispatcher::record_run(const task& task, const worker& on,
                            const handler_run& run) {
  auto ended = task.attempt().started + run.took;
  if (task.unwanted != errc{})
    recorder_->ran(task, on.number, ended, outcome::cancelled, task.unwanted);
  else if (run.how == ending::completed)
    recorder_->ran(task, on.number, ended, outcome::completed, {});
  else
    recorder_->ran(task, on.number, ended, outcome::failed, reason_of(run.how));
}

void dispatcher::stands_for(task& task, instant accepted, instant deadline) {
  task.accepted = accepted;
  task.deadline = deadline;
  if (task.is == task::condition::unknown)
    return;
  if (limits_.time_limit)
    return arm(task, task.is >= task::condition::sent ? task.attempt().check_at
                                                      : never);
  look_no_more(task);
  if (deadline != never)
    due_.add(task, deadline);
}

/// The worker has completed the message of the task, and begins the next one.
void dispatcher::pass_on(task& task, const assigned_message& next,
                         instant ended) {
  auto& on = *task.on;
  if (needs_.measured)
    policy_.placement->measured(on, task, ending::completed,
                                cost_of(task, ended), ended);
  --on.in_flight;
  policy_.placement->unassigned(on, task, ended);
  become(task, next);
}

void dispatcher::went_on(task& task, const run_times* first,
                         const run_times* last, const assigned_message* next) {
  if (first == last
      || (task.is != task::condition::sent
          && task.is != task::condition::running))
    return;
  assert(may_go_on() > duration{0} && task.unwanted == errc{});
  assert(task.attempt().next_number > 0 || next != nullptr);
  auto& on = *task.on;
  auto& present = task.own_attempt();
  for (const auto* each = first; each != last; ++each) {
    task.accepted = each->accepted;
    present.started = each->started;
    if (needs_.has_flows)
      policy_.order->went_on(task, each->ended - each->started, each->ended);
    note_run(task, on, {each->ended - each->started, ending::completed, true});
    on.ends_follow = each + 1 != last;
    if (next != nullptr)
      pass_on(task, *next++, each->ended);
    else
      present.known_as = present.next_number++;
  }
  tasks_.books.accepted += static_cast<std::uint64_t>(last - first);
  tasks_.books.completed += static_cast<std::uint64_t>(last - first);
  if (task.is != task::condition::sent)
    enter(task, task::condition::sent);
  ages_.begins_anew(task);
  if (limits_.time_limit)
    present.check_at = later(last[-1].ended, *limits_.time_limit);
  stands_for(task, last->accepted, last->deadline);
  if (task.notes().awaited > 0)
    forget_askers(task);
  if (on.waits) {
    set_waits(on, false);
    has_waits_ended_ = is_eager();
  }
  present.started = never;
  present.charged = instant::min(); // its token is used
  if (is_retry(task)) {
    auto& notes = task.own_notes();
    notes.crashes = 0;
    if (std::exchange(notes.errors, 0) > 0)
      retries_.ended(task);
  }
  if (is_eager()) {
    presume_start(on, last[-1].ended);
    aside_.free_unplaced(last[-1].ended);
  }
  if (on.is == worker::condition::leaving || on.hanging > 0 || on.suspended
      || is_suspended_ || throttling::is_paused(task))
    recall(task, {});
}

} // namespace libpool
