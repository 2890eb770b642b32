/// How a dispatcher keeps the states of its workers.

#include "libpool/core/dispatcher.hpp"

#include <utility>

namespace libpool {

// -- facts about workers ------------------------------------------------------

void dispatcher::joined(worker& worker, instant now) {
  if (worker.is != worker::condition::unknown)
    return;
  workers_.joined(worker);
  policy_.placement->joined(worker, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->joined(worker, now);
  refresh(worker, now);
  if (worker.has_nobody)
    aside_.departed(worker.number);
}

void dispatcher::retired(worker& worker, instant now) {
  if (worker.is == worker::condition::serving)
    stops_serving(worker, worker::condition::leaving, now);
}

void dispatcher::left(worker& worker, instant now) {
  if (worker.is != worker::condition::unknown
      && worker.is != worker::condition::gone)
    stops_serving(worker, worker::condition::gone, now);
}

void dispatcher::stops_serving(worker& worker, worker::condition next,
                               instant now) {
  if (workers_.stops_serving(worker, next)) {
    aside_.departed(worker.number);
    take_off(worker, now);
  }
  dismiss_if_done(worker, now);
}

void dispatcher::paused(worker& worker, instant now) {
  workers_.paused(worker, true);
  refresh(worker, now);
}

void dispatcher::resumed(worker& worker, instant now) {
  workers_.paused(worker, false);
  refresh(worker, now);
}

/// Offers the worker to the placement, or withdraws it, according to its state.
void dispatcher::refresh(worker& worker, instant now) {
  if (workers_.count_seats(worker))
    policy_.order->seated(workers_.seats.seats(), now);
  if (workers_.offer(worker)) {
    if (worker.offered) {
      policy_.placement->offered(worker, now);
      aside_.free_for(worker.number, now);
    } else {
      policy_.placement->withdrawn(worker, now);
    }
  }
  tasks_changed(worker, now);
}

/// Updates whether the worker has room, is ready and is idle, after its tasks
/// or its state have changed. With eager assignment, tasks do not change
/// whether the worker is offered.
void dispatcher::tasks_changed(worker& worker, instant now) {
  workers_.give_room(worker);
  if (policy_.stealing == nullptr || !workers_.keep_idle(worker))
    return;
  if (worker.idle)
    policy_.stealing->idled(worker, now);
  else
    policy_.stealing->engaged(worker, now);
}

/// Takes back the tasks that the worker has not begun.
void dispatcher::take_off(worker& worker, instant now) {
  unassign_all(worker, now);
  recall_unbegun(worker);
  refresh(worker, now);
}

/// Asks the worker to give back the tasks that it has not begun. The last one
/// comes first: the worker begins none behind one that it gives back.
void dispatcher::recall_unbegun(worker& worker) {
  if (worker.is == worker::condition::gone)
    return;
  for (auto i = worker.mailbox.rbegin(); i != worker.mailbox.rend(); ++i)
    if (i->is == task::condition::sent)
      recall(*i, {});
}

/// Lets all tasks that are assigned to the worker and not sent wait for other
/// workers. If the pool was abandoned, fails these tasks.
void dispatcher::unassign_all(worker& worker, instant now) {
  while (!worker.deque.empty())
    wait_again(worker.deque.front(), now);
}

/// Lets the task, which is assigned and was not sent, wait for another worker.
void dispatcher::wait_again(task& task, instant now) {
  unassign(task, now);
  tasks_.enter(task, task::condition::waiting);
  policy_.order->added(task, now);
  if (auto why = retries_.stopped())
    drop(task, outcome::failed, *why, now);
}

void dispatcher::dismiss_if_done(worker& worker, instant now) {
  if (worker.in_flight > 0
      || (worker.is != worker::condition::leaving
          && worker.is != worker::condition::gone))
    return;
  if (worker.awaited > 0)
    waits_.left(worker);
  workers_.dismissed(worker);
  policy_.placement->left(worker, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->left(worker, now);
  aside_.free_unplaced(now);
  decisions_.emplace_back(decision::kind::dismiss, nullptr, &worker);
}

void dispatcher::resized(worker& worker, std::size_t places, bool has_nobody,
                         instant now) {
  if (worker.is == worker::condition::unknown)
    return;
  worker.has_nobody = has_nobody;
  if (has_nobody)
    aside_.departed(worker.number);
  if (places == worker.seats)
    return;
  if (workers_.seats.counted(worker, false))
    policy_.order->seated(workers_.seats.seats(), now);
  workers_.resized(worker, places);
  refresh(worker, now);
  if (places == 0) {
    unassign_all(worker, now);
    refresh(worker, now);
  }
}

void dispatcher::changed(restriction& where, std::vector<worker_number> only) {
  if (policy_.stealing != nullptr)
    policy_.stealing->changing(where);
  aside_.change(where, std::move(only));
}

// -- workers that wait, hang or rest ------------------------------------------

/// A worker that can go on only after other tasks gives up its tasks that were
/// not sent.
void dispatcher::look_whether_waits(worker& worker, instant now) {
  if (waits_.begins_to_wait(worker))
    withdraw(worker, now);
}

/// Lets the tasks that are assigned to the worker, which gets no tasks now, and
/// not sent wait for other workers.
void dispatcher::withdraw(worker& worker, instant now) {
  refresh(worker, now); // no task is assigned to it again
  unassign_all(worker, now);
  refresh(worker, now);
}

/// A task of the worker hangs. Takes back the tasks that the worker has not
/// begun.
void dispatcher::hang(worker& worker, instant now) {
  workers_.hangs(worker);
  take_off(worker, now);
}

void dispatcher::rested(worker& worker, instant until, instant now) {
  if (worker.is != worker::condition::serving)
    return;
  workers_.rest(worker, until);
  withdraw(worker, now);
}

void dispatcher::roomy(worker& worker, instant now) {
  if (workers_.end_rest(worker))
    refresh(worker, now);
}

} // namespace libpool
