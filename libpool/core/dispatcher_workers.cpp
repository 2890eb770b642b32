/// How a dispatcher keeps the states of its workers.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

/// Adds the worker to the list, or removes it. `hook`: its link in the list.
template <class Hook, class List>
void keep_in(List& all, const Hook& hook, worker& worker, bool wanted) {
  if (wanted == hook.is_linked())
    return;
  if (wanted)
    all.push_back(worker);
  else
    all.erase(all.iterator_to(worker));
}

/// Whether tasks may be assigned to the worker, even if they cannot be sent
/// yet.
bool is_well(const worker& worker) noexcept {
  return worker.is == worker::condition::serving && worker.hanging == 0
         && worker.window > 0 && !worker.suspended
         && !worker.rest_hook.is_linked();
}

} // namespace

/// Whether tasks may be sent to the worker.
bool dispatcher::is_fit(const worker& worker) const noexcept {
  return is_well(worker) && !worker.pauses && !is_suspended_;
}

// -- facts about workers ------------------------------------------------------

void dispatcher::joined(worker& worker, instant now) {
  if (worker.is != worker::condition::unknown)
    return;
  worker.is = worker::condition::serving;
  worker.pauses = worker.suspended = worker.waits = false;
  next_number_ = std::max(
    next_number_, worker_number{static_cast<std::uint64_t>(worker.number) + 1});
  members_.insert(worker);
  seats_.joined(worker, members_);
  policy_.placement->joined(worker, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->joined(worker, now);
  refresh(worker, now);
  if (worker.has_nobody)
    aside_.departed(worker.number);
}

void dispatcher::retired(worker& worker, instant now) {
  if (worker.is != worker::condition::serving)
    return;
  worker.is = worker::condition::leaving;
  stops_serving(worker, now);
  dismiss_if_done(worker, now);
}

void dispatcher::left(worker& worker, instant now) {
  if (worker.is == worker::condition::unknown
      || worker.is == worker::condition::gone)
    return;
  auto was_serving = worker.is == worker::condition::serving;
  worker.is = worker::condition::gone;
  if (was_serving)
    stops_serving(worker, now);
  dismiss_if_done(worker, now);
}

/// Updates counts and tasks when a serving worker leaves or ends.
void dispatcher::stops_serving(worker& worker, instant now) {
  workers_.pausing -= worker.pauses ? 1U : 0U;
  workers_.suspended -= worker.suspended ? 1U : 0U;
  workers_.hanging -= worker.hanging > 0 ? 1U : 0U;
  note_pauses();
  workers_.busy -= worker.in_mailbox > 0 ? 1U : 0U;
  aside_.departed(worker.number);
  seats_.retired(worker);
  take_off(worker, now);
}

void dispatcher::paused(worker& worker, instant now) {
  auto did_pause = std::exchange(worker.pauses, true);
  if (!did_pause && worker.is == worker::condition::serving)
    ++workers_.pausing;
  refresh(worker, now);
}

void dispatcher::resumed(worker& worker, instant now) {
  auto did_pause = std::exchange(worker.pauses, false);
  if (did_pause && worker.is == worker::condition::serving)
    --workers_.pausing;
  refresh(worker, now);
}

/// Offers the worker to the placement, or withdraws it, according to its state.
void dispatcher::refresh(worker& worker, instant now) {
  count_seats(worker, is_well(worker), now);
  auto eligible = is_eager() ? is_well(worker) && !worker.waits
                             : is_fit(worker) && seats_.has_place(worker);
  seats_.offered(worker, eligible);
  if (eligible != worker.offered) {
    worker.offered = eligible;
    if (eligible) {
      ++workers_.offered;
      policy_.placement->offered(worker, now);
      aside_.free_for(worker.number, now);
    } else {
      --workers_.offered;
      policy_.placement->withdrawn(worker, now);
    }
  }
  tasks_changed(worker, now);
}

/// Updates whether the next task of the worker can be sent.
inline void dispatcher::keep_ready(worker& worker) noexcept {
  keep_in(ready_, worker.ready_hook, worker,
          worker.has_room && !worker.deque.empty());
}

/// Updates whether the worker has room, is ready and is idle, after its tasks
/// or its state have changed. With eager assignment, tasks do not change
/// whether the worker is offered.
void dispatcher::tasks_changed(worker& worker, instant now) {
  auto fit = is_fit(worker);
  auto has_room = fit && seats_.has_place(worker);
  if (std::exchange(worker.has_room, has_room) != has_room)
    workers_.with_room = has_room ? workers_.with_room + 1
                                  : workers_.with_room - 1;
  if (!is_eager())
    return;
  keep_ready(worker);
  if (policy_.stealing != nullptr)
    keep_idle(worker, fit && worker.in_flight == 0, now);
}

/// Counts the seats of the worker as seats of the pool if `wanted` is true.
void dispatcher::count_seats(worker& worker, bool wanted, instant now) {
  if (seats_.counted(worker, wanted))
    policy_.order->seated(seats_.seats(), now);
}

/// Takes back the tasks that the worker has not begun.
void dispatcher::take_off(worker& worker, instant now) {
  if (worker.is != worker::condition::serving && worker.rest_hook.is_linked())
    resting_.erase(resting_.iterator_to(worker));
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
  enter(task, task::condition::waiting);
  policy_.order->added(task, now);
  if (abandoned_)
    drop(task, outcome::failed, *abandoned_, now);
}

void dispatcher::dismiss_if_done(worker& worker, instant now) {
  if (worker.in_flight > 0
      || (worker.is != worker::condition::leaving
          && worker.is != worker::condition::gone))
    return;
  if (worker.awaited > 0)
    forget_asking(worker);
  worker.is = worker::condition::unknown;
  members_.erase(members_.iterator_to(worker));
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
  count_seats(worker, false, now);
  seats_.resized(worker, places, members_);
  worker.window = places;
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

// -- workers that hang or rest ------------------------------------------------

/// Records that a task of the worker hangs. Takes back the tasks that the
/// worker has not begun.
void dispatcher::hang(worker& worker, instant now) {
  auto is_first = worker.hanging++ == 0;
  if (is_first && worker.is == worker::condition::serving)
    ++workers_.hanging;
  worker.overran = true;
  take_off(worker, now);
}

/// Records that the handler of a task that made the worker hang has ended.
void dispatcher::ends_hanging(worker& worker) noexcept {
  auto is_last = --worker.hanging == 0;
  if (is_last && worker.is == worker::condition::serving)
    --workers_.hanging;
}

/// Lets the worker rest after a crash, until the task would have taken as long
/// as the slowest recent task of the worker. Otherwise a worker that fails fast
/// would attract work. An inner pool does this for its own workers.
void dispatcher::rest_after(const task& task, worker& worker, instant now) {
  auto until = later(task.started, worker.slowest_lately);
  if (until <= now || worker.is != worker::condition::serving || worker.is_pool)
    return;
  rest(worker, worker.rest_hook.is_linked()
                 ? std::max(until, worker.rests_until)
                 : until);
}

void dispatcher::rest(worker& worker, instant until) {
  if (worker.rest_hook.is_linked())
    resting_.erase(resting_.iterator_to(worker));
  worker.rests_until = until;
  resting_.insert(worker);
}

void dispatcher::rested(worker& worker, instant until, instant now) {
  if (worker.is != worker::condition::serving)
    return;
  rest(worker, until);
  refresh(worker, now); // no task is assigned to it again
  unassign_all(worker, now);
  refresh(worker, now);
}

void dispatcher::roomy(worker& worker, instant now) {
  if (!worker.rest_hook.is_linked())
    return;
  resting_.erase(resting_.iterator_to(worker));
  refresh(worker, now);
}

} // namespace libpool
