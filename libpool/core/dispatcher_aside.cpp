/// How a dispatcher sets tasks aside, and fails tasks that no worker will ever
/// run, because all workers that may run them have left, or because no worker
/// will join.

#include "libpool/core/dispatcher.hpp"

namespace libpool {

/// Sets the waiting task aside until a worker can take it. Fails the task if no
/// worker ever can.
void dispatcher::set_aside(task& task, bool is_unplaced, instant now) {
  const auto* where = task.notes().where;
  if (where != nullptr && workers_.are_lost(*where))
    return drop(task, outcome::failed, errc::worker_down, now);
  aside_.hold(task, is_unplaced, now);
  gates_.set_aside(task, now);
}

/// Sets the waiting task aside until the gate of its flow opens. The next task
/// for the same workers may go meanwhile.
void dispatcher::park(task& task, instant now) {
  gates_.park(task, now);
  aside_.followed(task, now);
}

/// Fails held tasks whose workers have all departed. If no worker is offered,
/// also fails such tasks that the order still has.
void dispatcher::fail_lost(instant now) {
  for (auto* where : aside_.take_lost())
    while (!where->held.empty())
      drop(where->held.begin()->second.front(), outcome::failed,
           errc::worker_down, now);
  aside_.free_unplaced(now); // some of these tasks may be lost, too
  if (workers_.offered() > 0)
    return;
  while (auto* task = policy_.order->choose(now))
    set_aside(*task, may_run_anywhere(*task), now);
  aside_.free_unplaced(now); // the next worker can have these tasks
}

void dispatcher::restricted(task& task, restriction& where) {
  if (task.is != task::condition::waiting || task.held)
    return;
  task.own_notes().where = &where;
  if (auto* run = run_of(task))
    runs_.close(*run); // tasks with the former workers do not join
  aside_.accepted(where);
}

void dispatcher::failed(task& task, errc why, instant now) {
  if (task.is == task::condition::waiting
      || task.is == task::condition::assigned)
    drop(task, outcome::failed, why, now);
}

void dispatcher::deserted(errc why, instant now) {
  for (auto* run : runs_.waiting_for_turn()) {
    auto& leader = *run->leader;
    end_joined(leader, outcome::failed, why, now);
    drop(leader, outcome::failed, why, now);
  }
  while (auto* task = retries_.first())
    drop(*task, outcome::failed, why, now);
  gates_.free_all(now);
  aside_.free_all(now);
  while (auto* task = policy_.order->choose(now))
    drop(*task, outcome::failed, why, now);
}

void dispatcher::abandoned(errc why, instant now) {
  closed(why);
  if (retries_.stopped())
    return;
  retries_.stop(why);
  deserted(why, now);
}

} // namespace libpool
