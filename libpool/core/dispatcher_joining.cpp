/// How tasks share runs: joiners wait for the end of the run of their leader.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <vector>

namespace libpool {

// -- new tasks
// ------------------------------------------------------------------

/// Lets the new task join an open run or, if it leads a run, wait for others to
/// join. Returns false if the task is to go to the order. A task that a handler
/// of the pool waits for runs alone: the handler could wait for itself.
bool dispatcher::joins(task& task, instant now) {
  if (!task.has_notes() || !task.notes().run_key)
    return false;
  if (is_asked_for(task)) {
    if (runs_.rule().is_batch)
      runs_.close(runs_.lead(task));
    return false;
  }
  if (auto* run = runs_.open_for(task)) {
    if (runs_.has_room(task, *run)) {
      join(task, *run, now);
      return true;
    }
    runs_.close(*run);
    if (run->is_held)
      end_hold(*run, now);
  }
  auto& run = runs_.lead(task);
  if (run.waits_for_turn)
    return true;
  const auto until = later(task.accepted, runs_.rule().wait);
  if (!run.is_open || until <= now || closed_)
    return false;
  run.goes_at = until;
  runs_.hold(run, true);
  retries_.delay(task, until);
  return true;
}

void dispatcher::join(task& task, joint_run& run, instant now) {
  auto& leader = *run.leader;
  runs_.join(task, run);
  ++record_.joined;
  if (leader.is >= task::condition::running)
    begin_joined(task, now);
  else if (leader.is == task::condition::sent)
    tasks_.enter(task, task::condition::sent);
  if (run.is_held && !run.is_open)
    end_hold(run, now);
  if (task.notes().priority > leader.notes().priority)
    raise(leader, task.notes().priority, now);
}

/// Gives the leader of a run the priority of a joiner. A leader that was set
/// aside or assigned keeps its place there.
void dispatcher::raise(task& leader, std::int64_t priority, instant now) {
  leader.own_notes().priority = priority;
  if (leader.held || leader.parked || leader.is == task::condition::assigned)
    return;
  auto is_in_order = leader.is == task::condition::waiting
                     && leader.notes().not_before == never
                     && !run_of(leader)->waits_for_turn;
  if (is_in_order && !gates_.remove(leader, now))
    aside_.remove(leader, now);
  leader.rank = policy_.order->rank(leader);
  if (is_in_order)
    policy_.order->added(leader, now);
}

/// The leader waits for others to join no more.
void dispatcher::end_hold(joint_run& run, instant now) {
  auto& leader = *run.leader;
  runs_.hold(run, false);
  run.goes_at = never;
  retries_.remove(leader);
  to_order(leader, now);
}

// -- the run
// --------------------------------------------------------------------

/// The leader was sent to a worker.
void dispatcher::send_joined(joint_run& run) {
  if (!runs_.rule().joins_running)
    runs_.close(run);
  for (auto& each : run.joiners)
    tasks_.enter(each, task::condition::sent);
}

/// The handler has begun with the joiner.
void dispatcher::begin_joined(task& joiner, instant now) {
  joiner.started = std::max(run_of(joiner)->leader->started, joiner.accepted);
  tasks_.enter(joiner, task::condition::running);
  if (joiner.cancel_reason != errc{})
    end(joiner, outcome::cancelled, joiner.cancel_reason, now);
}

/// The handler has begun with the leader and its joiners.
void dispatcher::begin_all_joined(joint_run& run, instant now) {
  for (auto i = run.joiners.begin(); i != run.joiners.end();)
    begin_joined(*i++, now);
}

/// The leader has come back from its worker, or is to run again: its joiners
/// wait with it.
void dispatcher::return_joined(joint_run& run, instant now) {
  for (auto i = run.joiners.begin(); i != run.joiners.end();) {
    auto& each = *i++;
    each.started = never;
    if (each.cancel_reason == errc{})
      tasks_.enter(each, task::condition::waiting);
    else
      end(each, outcome::cancelled, each.cancel_reason, now);
  }
  if (!runs_.rule().is_batch)
    runs_.open_again(run);
}

/// Settles all joiners of the task in the same way.
void dispatcher::end_joined(task& leader, outcome outcome, errc why,
                            instant now) {
  while (has_joiners(leader)) {
    auto& next = run_of(leader)->joiners.front();
    if (next.cancel_reason != errc{}) {
      end(next, libpool::outcome::cancelled, next.cancel_reason, now);
      continue;
    }
    if (next.started == never)
      next.started = std::max(leader.started, next.accepted);
    if (outcome == libpool::outcome::completed)
      record_.waits.record(next.started - next.accepted);
    next.own_notes().ran_with = &leader;
    end(next, outcome, why, now);
  }
}

/// The run of the leader, which has left its worker, has ended. `again_at`:
/// when the leader runs again; unset: never.
void dispatcher::joined_run_ended(task& leader, ending ending,
                                  std::optional<instant> again_at,
                                  instant now) {
  auto is_settled = leader.is == task::condition::overdue
                    || leader.cancel_reason != errc{};
  if (ending == ending::completed)
    end_joined(leader, outcome::completed, {}, now);
  else if (again_at)
    return_joined(*run_of(leader), now);
  else if (is_settled)
    run_for_joiners(leader, ending, now);
  else
    end_joined(leader, outcome::failed, retries_.failure_of(leader, ending),
               now);
}

/// A run has failed whose leader was settled before. The first joiner takes the
/// place of the leader, and has run as often.
void dispatcher::run_for_joiners(task& leader, ending ending, instant now) {
  auto& next = run_of(leader)->joiners.front();
  retries_.takes_over(next, leader);
  auto again_at = retries_.next_attempt(next, ending, now);
  if (!again_at)
    return end_joined(leader, outcome::failed,
                      retries_.failure_of(next, ending), now);
  return_joined(*run_of(leader), now);
  runs_.leave(leader);
  wait_until(next, *again_at, now);
}

// -- batches that crash
// ---------------------------------------------------------

/// Whether the tasks of the run are tried again in two halves, because each of
/// them may have crashed the worker.
bool dispatcher::is_halved(const task& leader, ending ending) const noexcept {
  return has_joiners(leader) && runs_.rule().is_batch
         && (ending == ending::crashed || ending == ending::lost);
}

/// Returns when the half of the tasks runs again that the leader is in; unset:
/// without the leader.
std::optional<instant> dispatcher::first_half_at(const task& leader,
                                                 instant now) const {
  auto is_settled = leader.is == task::condition::overdue
                    || leader.cancel_reason != errc{};
  return !is_settled && retries_.may_run_again(leader) ? std::optional{now}
                                                       : std::nullopt;
}

/// Lets the joiners of the task, which has left its worker, run again: one half
/// of the tasks without it. Those that may not be tried again fail.
void dispatcher::halve(task& leader, ending ending, instant now) {
  auto& run = *run_of(leader);
  for (auto i = run.joiners.begin(); i != run.joiners.end();) {
    auto& each = *i++;
    if (each.cancel_reason != errc{} || retries_.may_run_again(each))
      continue;
    each.own_notes().ran_with = &leader;
    end(each, outcome::failed, retries_.failure_of(each, ending), now);
  }
  return_joined(run, now);
  if (const auto half = run.size() / 2; half > 0) {
    record_.retries += half;
    to_order(runs_.split(run, half), now);
  }
  record_.retries += run.joiners.size();
}

// -- tasks that leave
// -----------------------------------------------------------

/// The task, which is settled or whose handler has ended, leaves its run. If it
/// was the leader, a joiner takes its place.
void dispatcher::leave_run(task& task, instant now) {
  auto& leader = *run_of(task)->leader;
  auto* next = runs_.leave(task);
  if (next != nullptr) {
    take_place(*next, task, now);
  } else if (&leader != &task && leader.is == task::condition::overdue
             && leader.on != nullptr && !has_joiners(leader)) {
    is_unwanted(leader, now);
  }
  if (auto* run = runs_.take_next_in_turn())
    may_go(*run->leader, now);
}

/// The task leads the run in place of `former`: when it would have gone, with
/// its priority, and after its attempts.
void dispatcher::take_place(task& next, const task& former, instant now) {
  auto& run = *run_of(next);
  retries_.takes_over(next, former);
  if (former.notes().priority > next.notes().priority) {
    next.own_notes().priority = former.notes().priority;
    next.rank = policy_.order->rank(next);
  }
  if (run.waits_for_turn)
    return;
  if (run.goes_at != never && run.goes_at > now && !retries_.stopped())
    return retries_.delay(next, run.goes_at);
  runs_.hold(run, false);
  may_go(next, now);
}

/// Lets the order have the waiting leader of a run, unless the pool has ended.
void dispatcher::may_go(task& leader, instant now) {
  const auto why = retries_.stopped();
  if (!why)
    return to_order(leader, now);
  end_joined(leader, outcome::failed, *why, now);
  end(leader, outcome::failed, *why, now);
}

/// No client waits for the result of the task, whose handler runs on.
void dispatcher::is_unwanted(task& task, instant now) {
  if (auto* run = run_of(task))
    runs_.close(*run);
  decisions_.emplace_back(decision::kind::give_up, &task, task.on);
  if (hangs(task))
    hang(*task.on, now);
  else
    watch_.arm(task, watch_.limit_from(task.started));
}

} // namespace libpool
