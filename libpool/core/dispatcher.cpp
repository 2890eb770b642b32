#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

namespace libpool {

namespace {

/// With lazy assignment, no unsent task is assigned, and nothing is stolen.
composition checked(composition how) {
  assert(how.order != nullptr && how.placement != nullptr);
  if (how.assignment == assignment::lazy)
    how.stealing = nullptr;
  return how;
}

/// Returns the cost of the task, whose handler has ended.
duration cost_of(const task& task, measure how, instant now) noexcept {
  switch (how) {
    case measure::cpu_time:
      return task.attempt().cpu_time;
    case measure::wait_time:
      return task.started - task.accepted;
    default:
      return now - task.started;
  }
}

} // namespace

dispatcher::dispatcher(composition how, const limits& within)
  : policy_(checked(std::move(how))),
    needs_(policy_, within),
    watch_(within),
    workers_(needs_.is_eager, needs_.has_flows),
    aside_(*policy_.order, *policy_.placement, workers_),
    chooser_(needs_.is_eager, *policy_.placement, workers_, aside_),
    gates_(*policy_.order, within.throttles),
    waits_(tasks_, workers_, gates_, *policy_.placement),
    leases_(within.leases),
    capacity_(within, tasks_, leases_, workers_),
    retries_(within, needs_.may_throttle),
    most_due_(within.due_at_once),
    keeps_accounts_(needs_.starts || needs_.has_flows),
    refuses_wide_(within.too_wide == too_wide::refuse),
    is_bounded_(within.capacity != limits{}.capacity || refuses_wide_
                || needs_.limits_flows) {
  assert(!needs_.has_flows || !needs_.is_eager);
}

// -- sending ------------------------------------------------------------------

void dispatcher::dispatch(instant now) {
  are_taken_back_ = are_taken_back_ && !decisions_.empty();
  if (next_tick() <= now)
    ticked(now);
  else if (!leases_.empty())
    take_overdue_back(now);
  if (aside_.has_departed())
    fail_lost(now);
  if (are_taken_back_)
    return; // others must not go before them
  bind_and_send(now);
  while (policy_.stealing != nullptr && !has_due(now) && steal(now))
    bind_and_send(now); // unplaced tasks may have a worker now
  if (!leases_.empty() && !needs_.is_eager && workers_.offered() > 0)
    if (auto [from, followers] = leases_.to_share(); from != nullptr)
      take_followers_back(*from, followers);
}

void dispatcher::bind_and_send(instant now) {
  if (has_due(now))
    return;
  if (waits_.take_ended() && needs_.is_eager)
    refresh_all(now);
  while (bind_next(now) != nullptr)
    continue;
  while (auto* ready = workers_.first_ready())
    send_next(*ready, now);
}

/// Assigns the next task that can be assigned, and returns it; nullptr if there
/// is none.
task* dispatcher::bind_next(instant now) {
  while (tasks_.books.waiting > 0 && workers_.offered() > 0) {
    auto* task = policy_.order->choose(now);
    if (task != nullptr && !gates_.is_open(*task, now)) {
      park(*task, now);
      continue;
    }
    if ((gates_.is_on() && !gates_.lets_go(task, now)) || task == nullptr)
      return nullptr;
    if (watch_.is_hopeless(*task, now)) {
      watch_.dropped(*task);
      drop(*task, outcome::cancelled, errc::hopeless, now);
      continue;
    }
    auto to = chooser_.choose(*task, now);
    if (to.worker != nullptr) {
      hand_out(*task, to, now);
      if (leases_.are_on() && !needs_.is_eager)
        lease_behind(*task, now);
      return task;
    }
    if (needs_.has_flows && chooser_.gathers_seats(*task))
      return nullptr; // no task may overtake this task
    set_aside(*task, to.is_unplaced, now);
  }
  return nullptr;
}

/// Assigns the task, which waits in the order, to the chosen worker.
void dispatcher::hand_out(task& task, const chosen_worker& to, instant now) {
  if (needs_.has_flows)
    task.own_attempt().seats = workers_.seats.seats_for(task);
  if (to.is_picked)
    policy_.placement->picked(*to.worker, task, now);
  policy_.order->dispatched(task, now);
  assign(task, *to.worker, now);
  aside_.followed(task, now);
}

/// Assigns the task, which is in no queue, to the worker `to`. With lazy
/// assignment, sends the task at once.
void dispatcher::assign(task& task, worker& to, instant now) {
  task.on = &to;
  if (gates_.is_on())
    gates_.began(task, now);
  to.chosen = ++choices_;
  ++to.in_flight;
  if (needs_.is_eager) {
    tasks_.enter(task, task::condition::assigned);
    to.deque.add(task);
    if (policy_.stealing != nullptr)
      policy_.stealing->assigned(task, now);
    tasks_changed(to, now);
  } else {
    send(task, now);
  }
  policy_.placement->assigned(to, task, now);
  presume_start(to, now);
}

/// Takes the task out of the deque of its worker.
void dispatcher::unassign(task& task, instant now) {
  auto& worker = *task.on;
  if (policy_.stealing != nullptr)
    policy_.stealing->unassigned(task, now);
  worker.deque.remove(task);
  --worker.in_flight;
  policy_.placement->unassigned(worker, task, now);
  task.on = nullptr;
  if (gates_.is_on())
    gates_.ended(task, true, now);
  aside_.free_unplaced(now);
}

/// Sends the first task in the deque of the worker.
void dispatcher::send_next(worker& to, instant now) {
  auto& first = to.deque.front();
  send(first, now);
  presume_start(to, now);
  if (leases_.are_on())
    lease_behind(first, now);
}

/// Sends the task to the worker that it is assigned to.
void dispatcher::send(task& task, instant now) {
  auto& to = *task.on;
  if (task.is == task::condition::assigned) {
    if (policy_.stealing != nullptr)
      policy_.stealing->sent(task, now);
    to.deque.remove(task);
  }
  tasks_.enter(task, task::condition::sent);
  task.recalled = false;
  watch_.sent(task, now);
  to.mailbox.push_back(task);
  retries_.sent(task);
  workers_.sent(to);
  if (task.follows)
    return;
  if (needs_.has_flows)
    workers_.seats.taken(task, to);
  if (needs_.is_eager)
    tasks_changed(to, now);
  else
    refresh(to, now);
  decisions_.emplace_back(decision::kind::send, &task, &to);
}

// -- facts about tasks --------------------------------------------------------

void dispatcher::started(task& task, instant now) {
  if (task.is == task::condition::running) { // the worker had skipped it
    task.started = now;
    presume_start(*task.on, task, now);
  }
  if (task.is != task::condition::sent || task.follows)
    return;
  begin(task, now);
  if (task.unwanted != errc{})
    cancelled(task, task.unwanted, now);
}

void dispatcher::begin(task& task, instant now) {
  task.started = now;
  presume_start(*task.on, task, now);
  tasks_.enter(task, task::condition::running);
  if (task.on->awaited > 0)
    look_whether_waits(*task.on, now);
}

/// Presumes that the worker begins the first task in its mailbox, because some
/// workers report a start only when the handler has ended.
void dispatcher::presume_start(worker& worker, instant now) {
  if (needs_.starts && !worker.mailbox.empty()
      && worker.mailbox.front().attempt().began == never)
    presume_start(worker, worker.mailbox.front(), now);
}

void dispatcher::presume_start(worker& worker, task& task, instant now) {
  if (!needs_.starts || std::exchange(task.own_attempt().began, now) == now)
    return;
  if (needs_.measured)
    policy_.placement->began(worker, task, now);
  if (policy_.stealing != nullptr)
    policy_.stealing->began(task, now);
}

void dispatcher::finished(task& task, ending how, instant now) {
  if (task.is == task::condition::sent && !task.follows)
    begin(task, now); // an ended handler does not hang its worker
  if (task.is == task::condition::running
      || task.is == task::condition::overdue)
    ended(task, how, now);
}

void dispatcher::completed(task& task, instant started, instant now) {
  if (task.is != task::condition::sent || task.unwanted != errc{}) {
    this->started(task, started);
    return finished(task, ending::completed, now);
  }
  if (task.follows)
    return;
  task.started = started; // ends at once: it need not enter another state
  presume_start(*task.on, task, started);
  ended(task, ending::completed, now);
}

/// The handler of the task has ended.
void dispatcher::ended(task& task, ending how, instant now) {
  auto& worker = *task.on;
  const auto is_done = how == ending::completed && task.unwanted == errc{}
                       && task.is != task::condition::overdue;
  if (needs_.measured)
    policy_.placement->measured(worker, task, how,
                                cost_of(task, *needs_.measured, now), now);
  auto again_at = is_done ? std::nullopt
                          : retries_.next_attempt(task, how, now);
  const handler_run run{now - task.started, how, !again_at};
  const auto has_next = take_back(task, &run, now);
  note_run(task, worker, run);
  if (how == ending::crashed)
    workers_.rest_after(task, worker, now);
  if (is_done)
    end(task, outcome::completed, {}, now);
  else if (task.is == task::condition::overdue)
    release(task);
  else if (task.unwanted != errc{})
    end(task, outcome::cancelled, task.unwanted, now);
  else if (!again_at)
    end(task, outcome::failed, retries_.failure_of(task, how), now);
  else if (how == ending::interrupted)
    requeue(task, now);
  else
    wait_until(task, *again_at, now);
  if (is_done && has_next && worker.is == worker::condition::serving)
    return; // it has as little room as before
  refresh(worker, now);
  dismiss_if_done(worker, now);
}

retry_verdict dispatcher::answered_with_error(task& task, duration wait,
                                              instant ended, instant now) {
  auto result = retries_.answered_with_error(task, wait, now);
  if (result == retry_verdict::over_budget)
    ++record_.retries_refused;
  else if (result == retry_verdict::yes)
    finished(task, ending::to_be_retried, ended);
  return result;
}

void dispatcher::returned(task& task, instant now) {
  if (task.is != task::condition::sent)
    return;
  auto& worker = *task.on;
  if (!task.recalled)
    left(worker, now);
  if (keeps_worker(task))
    return assign_again(task, now);
  take_back(task, nullptr, now);
  if (task.unwanted != errc{})
    end(task, outcome::cancelled, task.unwanted, now);
  else
    requeue(task, now);
  came_back(worker, now);
}

void dispatcher::unhandled(task& task, instant now) {
  if (task.is != task::condition::sent && task.is != task::condition::running
      && task.is != task::condition::overdue)
    return;
  if (keeps_worker(task))
    return assign_again(task, now);
  auto& worker = *task.on;
  take_back(task, nullptr, now);
  task.started = never;
  if (task.is == task::condition::overdue)
    release(task);
  else if (task.unwanted != errc{})
    end(task, outcome::cancelled, task.unwanted, now);
  else
    requeue(task, now);
  came_back(worker, now);
}

/// A task of the worker has come back, which has not run.
void dispatcher::came_back(worker& worker, instant now) {
  if (!waits_.empty())
    look_whether_waits(worker, now); // it was the only one that had not begun
  refresh(worker, now);
  dismiss_if_done(worker, now);
}

void dispatcher::kept(task& task) {
  if (task.is == task::condition::sent && task.unwanted == errc{})
    task.recalled = false;
}

void dispatcher::spared(task& task) {
  if (task.is != task::condition::sent)
    return;
  task.unwanted = errc{};
  task.recalled = false;
}

void dispatcher::cancelled(task& task, errc why, instant now) {
  switch (task.is) {
    case task::condition::waiting:
    case task::condition::assigned:
      return drop(task, outcome::cancelled, why, now);
    case task::condition::sent:
      return recall(task, why);
    case task::condition::running:
      task.unwanted = why;
      count_outcome(task, outcome::cancelled, why, now);
      decisions_.emplace_back(decision::kind::settle, &task, task.on,
                              outcome::cancelled, why, now);
      tasks_.enter(task, task::condition::overdue);
      if (hangs(task))
        hang(*task.on, now);
      else
        watch_.arm(task, watch_.limit_from(task.started));
      return;
    default:
      return;
  }
}

/// Takes the task out of the mailbox of its worker. `run`: run of the handler;
/// nullptr if the handler did not run. Returns whether the turn of a task comes
/// that was sent together with it.
bool dispatcher::take_back(task& task, const handler_run* run, instant now) {
  auto& worker = *task.on;
  const auto had_turn = !task.follows;
  worker.mailbox.erase(worker.mailbox.iterator_to(task));
  auto* next = leases_.left(task, worker);
  workers_.came_back(worker);
  if (hangs(task))
    workers_.ends_hanging(worker);
  retries_.came_back(task);
  policy_.placement->unassigned(worker, task, now);
  if (keeps_accounts_)
    close_accounts(task, run, had_turn, next, now);
  task.on = nullptr;
  if (gates_.is_on())
    gates_.ended(task, run == nullptr, now);
  if (task.is == task::condition::overdue)
    watch_.settled(task);
  else
    watch_.came_back(task);
  if (!waits_.empty() && task.notes().awaited > 0)
    waits_.ended(task);
  if (worker.waits)
    waits_.goes_on(worker);
  presume_start(worker, now);
  aside_.free_unplaced(now);
  // The tasks before the next one have come back without having begun.
  if (run == nullptr && next != nullptr && !next->recalled
      && worker.is == worker::condition::serving)
    decisions_.emplace_back(decision::kind::send, next, &worker);
  return next != nullptr;
}

/// Records the end of the task for stealing, starts and flows. `next`: task
/// whose turn comes at the worker; nullptr if there is none.
void dispatcher::close_accounts(task& task, const handler_run* run,
                                bool had_turn, libpool::task* next,
                                instant now) {
  auto& worker = *task.on;
  auto took = run != nullptr ? std::optional{run->took} : std::nullopt;
  auto is_done = run != nullptr && run->how == ending::completed;
  if (policy_.stealing != nullptr)
    policy_.stealing->ended(task, is_done ? took : std::nullopt, now);
  if (needs_.has_flows) {
    if (had_turn)
      workers_.seats.freed(task, worker);
    if (next != nullptr)
      workers_.seats.taken(*next, worker);
    if (run != nullptr && run->is_last)
      policy_.order->served(task);
    policy_.order->unassigned(task, took, now);
  }
  if (needs_.starts)
    task.own_attempt().began = never;
}

/// Lets the task wait again, in the place that its number gives it.
void dispatcher::requeue(task& task, instant now) {
  if (auto why = retries_.stopped())
    return end(task, outcome::failed, *why, now);
  task.recalled = false;
  tasks_.enter(task, task::condition::waiting);
  policy_.order->added(task, now);
}

/// Lets the task wait again, but not before its time.
void dispatcher::wait_until(task& task, instant time, instant now) {
  ++record_.retries;
  if (retries_.stopped() || time <= now)
    return requeue(task, now);
  task.recalled = false;
  tasks_.enter(task, task::condition::waiting);
  retries_.delay(task, time);
}

/// Returns the tasks whose time has come to the order.
void dispatcher::free_delayed(instant now) {
  while (auto* task = retries_.take_due(now)) {
    policy_.order->added(*task, now);
    if (const auto* where = task->notes().where)
      aside_.accepted(*where);
  }
}

/// Settles and releases the task, which waits.
void dispatcher::drop(task& task, outcome how, errc why, instant now) {
  if (task.is == task::condition::waiting && !retries_.remove(task)
      && !gates_.remove(task, now))
    aside_.remove(task, now);
  if (task.is == task::condition::assigned) {
    auto& worker = *task.on;
    unassign(task, now);
    tasks_changed(worker, now);
  }
  end(task, how, why, now);
}

/// Settles and releases the task, which is in no queue and no mailbox.
void dispatcher::end(task& task, outcome how, errc why, instant now) {
  count_outcome(task, how, why, now);
  forget(task);
  decisions_.emplace_back(decision::kind::end, &task, nullptr, how, why, now);
}

void dispatcher::recall(task& task, errc why) {
  if (task.unwanted == errc{})
    task.unwanted = why;
  if (task.recalled)
    return;
  task.recalled = true;
  are_taken_back_ = are_taken_back_ || task.follows;
  decisions_.emplace_back(decision::kind::recall, &task, task.on);
}

// -- facts about the pool -----------------------------------------------------

void dispatcher::ticked(instant now) {
  if (gates_.is_on())
    gates_.ticked(now);
  free_delayed(now);
  if (!leases_.empty())
    take_overdue_back(now);
  for (auto most = most_due_; most > 0 && has_due(now); --most)
    is_due(watch_.take_due(), now);
  if (policy_.stealing != nullptr && policy_.stealing->next_tick() <= now)
    policy_.stealing->ticked(now);
  while (auto* worker = workers_.take_rested(now))
    refresh(*worker, now);
}

void dispatcher::closed(errc why) {
  if (!closed_)
    closed_ = why;
}

instant dispatcher::next_tick() const noexcept {
  auto result = std::min(watch_.next(), workers_.next_rested());
  if (workers_.idle() > 0 && policy_.stealing->has_work())
    result = std::min(result, policy_.stealing->next_tick());
  if (gates_.is_on())
    result = std::min(result, gates_.next_tick(tasks_.books.waiting > 0));
  result = std::min(result, retries_.next());
  if (workers_.idle() > 0 && !leases_.empty()) // idle workers could have them
    result = std::min(result, leases_.next_overdue());
  return result;
}

/// Tasks that wait behind others at workers count as waiting.
std::vector<flow_stats> dispatcher::flows(std::size_t most) const {
  std::unordered_map<std::uint64_t, std::uint64_t> behind;
  leases_.for_each_follower(
    [&](const task& each) { ++behind[each.notes().flow.hash()]; });
  flow_supplement more;
  more.complete = [&](std::uint64_t flow, flow_stats& row) {
    gates_.add_wait(flow, row);
    auto i = behind.find(flow);
    if (i == behind.end())
      return;
    row.waiting += i->second;
    row.running -= i->second;
  };
  return policy_.order->longest_flows(most, more);
}

// -- counting -----------------------------------------------------------------

void dispatcher::count_outcome(task& task, outcome how, errc why, instant now) {
  watch_.settled(task);
  if (!waits_.empty() && is_asked_for(task))
    waits_.settled(task);
  if (how == outcome::completed) {
    ++tasks_.books.completed;
    return;
  }
  ++(how == outcome::failed ? tasks_.books.failed : tasks_.books.cancelled);
  record_.errors.note(why);
  auto has_run = task.is == task::condition::running
                 || task.is == task::condition::overdue;
  if (recorder_ != nullptr && !has_run)
    recorder_->dropped(task, now, how, why);
}

/// Releases the task, whose handler has ended after the task was settled.
void dispatcher::release(task& task) {
  forget(task);
  decisions_.emplace_back(decision::kind::release, &task, nullptr);
}

/// Forgets the task, which is settled.
void dispatcher::forget(task& task) noexcept {
  tasks_.enter(task, task::condition::unknown);
  if (task.has_notes()) {
    throttling::released(task);
    if (task.notes().errors > 0)
      retries_.ended(task);
  }
  task.recalled = false;
  task.unwanted = {};
}

} // namespace libpool
