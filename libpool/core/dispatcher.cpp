#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

namespace libpool {

namespace {

/// With lazy assignment, no unsent task is assigned, and nothing is stolen.
composition checked(composition manner) {
  assert(manner.order != nullptr && manner.placement != nullptr);
  if (manner.assignment == assignment::lazy)
    manner.stealing = nullptr;
  return manner;
}

/// Returns the cost of the task, whose handler has ended.
duration cost_of(const task& task, measure measure, instant now) noexcept {
  switch (measure) {
    case measure::cpu_time:
      return task.attempt().cpu_time;
    case measure::wait_time:
      return task.started - task.accepted;
    default:
      return now - task.started;
  }
}

/// Returns why a run has failed that ended in this way.
errc reason_of(ending ending) noexcept {
  switch (ending) {
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
void record_run(recorder& recorder, const task& task, worker_number number,
                duration took, ending ending) {
  auto ended = task.started + took;
  if (task.cancel_reason != errc{})
    recorder.ran(task, number, ended, outcome::cancelled, task.cancel_reason);
  else if (ending == ending::completed)
    recorder.ran(task, number, ended, outcome::completed, {});
  else
    recorder.ran(task, number, ended, outcome::failed, reason_of(ending));
}

} // namespace

dispatcher::dispatcher(composition composition, const limits& within)
  : policy_(checked(std::move(composition))),
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
    shedding_(within.shed, needs_.has_flows),
    runs_(within.joint),
    most_due_(within.due_at_once),
    keeps_accounts_(needs_.starts || needs_.has_flows),
    refuses_wide_(within.too_wide == too_wide::refuse),
    is_bounded_(within.capacity != limits{}.capacity || refuses_wide_
                || needs_.limits_flows) {
  assert(!needs_.has_flows || !needs_.is_eager);
  assert(!shedding_.is_on() || needs_.takes_turns || needs_.has_flows);
}

// -- ends of tasks
// --------------------------------------------------------------

/// Takes the task out of the mailbox of its worker. `run`: run of the handler;
/// nullptr if the handler did not run. Returns whether the turn of a task comes
/// that was sent together with it.
[[gnu::always_inline]] inline bool
dispatcher::take_back(task& task, const handler_run* run, instant now) {
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

inline void dispatcher::note_run(const task& task, worker& worker,
                                 const handler_run& run) {
  auto wait = task.started - task.accepted;
  worker.record.note(wait, run.took, run.how);
  record_.note(wait, run.took, run.how);
  if (recorder_ != nullptr)
    record_run(*recorder_, task, worker.number, run.took, run.how);
  if (run.how == ending::completed)
    watch_.completed(task, run.took);
  if (run.how == ending::completed && run.took > duration{0}
      && leases_.are_on())
    leases_.note(run.took);
  if (run.how == ending::completed)
    worker.slowest_lately =
      std::max(run.took, worker.slowest_lately - worker.slowest_lately / 8);
}

inline void dispatcher::count_outcome(task& task, outcome outcome, errc why,
                                      instant now) {
  watch_.settled(task);
  if (!waits_.empty() && is_asked_for(task))
    waits_.settled(task);
  if (outcome == outcome::completed) {
    ++tasks_.books.completed;
    return;
  }
  ++(outcome == outcome::failed ? tasks_.books.failed : tasks_.books.cancelled);
  record_.errors.note(why);
  auto has_run = task.is == task::condition::running
                 || task.is == task::condition::overdue;
  if (recorder_ != nullptr && !has_run)
    recorder_->dropped(task, now, outcome, why);
}

/// Forgets the task, which is settled.
inline void dispatcher::forget(task& task) noexcept {
  tasks_.enter(task, task::condition::unknown);
  if (task.has_notes()) {
    throttling::released(task);
    if (task.notes().errors > 0)
      retries_.ended(task);
  }
  task.recalled = false;
  task.cancel_reason = {};
}

/// Settles and releases the task, which is in no queue and no mailbox.
inline void dispatcher::end(task& task, outcome outcome, errc why,
                            instant now) {
  count_outcome(task, outcome, why, now);
  forget(task);
  decisions_.emplace_back(decision::kind::end, &task, nullptr, outcome, why,
                          now);
  if (runs_.is_on() && run_of(task) != nullptr)
    leave_run(task, now);
}

/// Releases the task, whose handler has ended after the task was settled.
inline void dispatcher::release(task& task, instant now) {
  forget(task);
  decisions_.emplace_back(decision::kind::release, &task, nullptr);
  if (runs_.is_on() && run_of(task) != nullptr)
    leave_run(task, now);
}

/// The task leaves its worker after a run of its handler. Returns whether the
/// turn of a task comes that was sent together with it.
[[gnu::always_inline]] inline bool
dispatcher::leave(task& task, const handler_run& run, instant now) {
  auto& worker = *task.on;
  if (needs_.measured)
    policy_.placement->measured(worker, task, run.how,
                                cost_of(task, *needs_.measured, now), now);
  const auto has_next = take_back(task, &run, now);
  note_run(task, worker, run);
  return has_next;
}

/// The handler of the task has ended, and the task is completed.
[[gnu::always_inline]] inline void dispatcher::done(task& task, instant now) {
  auto& worker = *task.on;
  const auto has_next =
    leave(task, {now - task.started, ending::completed, true}, now);
  if (runs_.is_on())
    end_joined(task, outcome::completed, {}, now);
  end(task, outcome::completed, {}, now);
  if (has_next)
    return; // it has as little room as before
  refresh(worker, now);
  dismiss_if_done(worker, now);
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
  if (task.cancel_reason != errc{})
    cancelled(task, task.cancel_reason, now);
}

void dispatcher::begin(task& task, instant now) {
  task.started = now;
  presume_start(*task.on, task, now);
  tasks_.enter(task, task::condition::running);
  if (runs_.is_on() && run_of(task) != nullptr)
    begin_all_joined(*run_of(task), now);
  if (task.on->awaited > 0)
    look_whether_waits(*task.on, now);
}

/// Presumes that the worker begins the first task in its mailbox, because some
/// workers report a start only when the handler has ended.
void dispatcher::presume_first_start(worker& worker, instant now) {
  if (!worker.mailbox.empty()
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

void dispatcher::finished(task& task, ending ending, instant now) {
  if (task.is == task::condition::sent && !task.follows)
    begin(task, now); // an ended handler does not hang its worker
  if (task.is == task::condition::running
      || task.is == task::condition::overdue)
    ended(task, ending, now);
}

void dispatcher::completed(task& task, instant started, instant now) {
  if (task.is != task::condition::sent || task.cancel_reason != errc{}) {
    this->started(task, started);
    return finished(task, ending::completed, now);
  }
  if (task.follows)
    return;
  task.started = started; // ends at once: it need not enter another state
  presume_start(*task.on, task, started);
  done(task, now);
}

/// The handler of the task has ended.
void dispatcher::ended(task& task, ending ending, instant now) {
  if (ending == ending::completed && task.cancel_reason == errc{}
      && task.is != task::condition::overdue)
    return done(task, now);
  auto& worker = *task.on;
  const auto halved = is_halved(task, ending);
  auto again_at = halved ? first_half_at(task, now)
                         : retries_.next_attempt(task, ending, now);
  leave(task, {now - task.started, ending, !again_at}, now);
  if (ending == ending::crashed)
    workers_.rest_after(task, worker, now);
  if (halved)
    halve(task, ending, now);
  else if (has_joiners(task))
    joined_run_ended(task, ending, again_at, now);
  if (task.is == task::condition::overdue)
    release(task, now);
  else if (task.cancel_reason != errc{})
    end(task, outcome::cancelled, task.cancel_reason, now);
  else if (!again_at)
    end(task, outcome::failed, retries_.failure_of(task, ending), now);
  else if (ending == ending::interrupted)
    requeue(task, now);
  else
    wait_until(task, *again_at, now);
  refresh(worker, now);
  dismiss_if_done(worker, now);
}

retry_verdict dispatcher::answered_with_error(task& task, duration wait,
                                              instant ended, instant now) {
  auto is_for_joiners = task.is == task::condition::overdue
                        && has_joiners(task);
  auto& asked = is_for_joiners ? run_of(task)->joiners.front() : task;
  auto result = retries_.answered_with_error(asked, wait, now);
  if (result == retry_verdict::over_budget)
    ++record_.retries_refused;
  else if (result == retry_verdict::yes)
    finished(task, ending::to_be_retried, ended);
  return result;
}

void dispatcher::returned(task& task, instant now) {
  if (task.is != task::condition::sent)
    return;
  if (!task.recalled)
    left(*task.on, now);
  put_back(task, now);
}

void dispatcher::unhandled(task& task, instant now) {
  if (task.is >= task::condition::sent)
    put_back(task, now);
}

/// The task comes back from its worker, which has not handled it.
void dispatcher::put_back(task& task, instant now) {
  if (keeps_worker(task))
    return assign_again(task, now);
  auto& worker = *task.on;
  take_back(task, nullptr, now);
  task.started = never;
  if (has_joiners(task))
    return_joined(*run_of(task), now);
  if (task.is == task::condition::overdue)
    release(task, now);
  else if (task.cancel_reason != errc{})
    end(task, outcome::cancelled, task.cancel_reason, now);
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
  if (task.is == task::condition::sent && task.cancel_reason == errc{})
    task.recalled = false;
}

void dispatcher::spared(task& task) {
  if (task.is != task::condition::sent)
    return;
  task.cancel_reason = errc{};
  task.recalled = false;
}

void dispatcher::cancelled(task& task, errc why, instant now) {
  switch (task.is) {
    case task::condition::waiting:
    case task::condition::assigned:
      return drop(task, outcome::cancelled, why, now);
    case task::condition::sent:
      if (!is_joiner(task))
        return recall(task, why);
      task.cancel_reason = why;
      return recall(*run_of(task)->leader, {});
    case task::condition::running:
      if (is_joiner(task))
        return end(task, outcome::cancelled, why, now);
      if (why == errc::time_limit)
        end_joined(task, outcome::cancelled, why, now);
      task.cancel_reason = why;
      count_outcome(task, outcome::cancelled, why, now);
      decisions_.emplace_back(decision::kind::settle, &task, task.on,
                              outcome::cancelled, why, now);
      tasks_.enter(task, task::condition::overdue);
      if (!has_joiners(task))
        return is_unwanted(task, now);
      task.deadline = never; // only the joiners have some
      return watch_.arm(task, watch_.limit_from(task.started));
    default:
      return;
  }
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
  if (auto* run = run_of(task))
    run->goes_at = time;
  retries_.delay(task, time);
}

/// Returns the tasks whose time has come to the order.
void dispatcher::free_delayed(instant now) {
  while (auto* task = retries_.take_due(now)) {
    if (auto* run = run_of(*task)) {
      runs_.hold(*run, false);
      run->goes_at = never;
    }
    to_order(*task, now);
  }
}

/// Lets the order have the waiting task.
void dispatcher::to_order(task& task, instant now) {
  policy_.order->added(task, now);
  if (const auto* where = task.notes().where)
    aside_.accepted(*where);
}

/// Settles and releases the task, which waits.
void dispatcher::drop(task& task, outcome outcome, errc why, instant now) {
  const auto* run = run_of(task);
  if (is_joiner(task) || (run != nullptr && run->waits_for_turn))
    return end(task, outcome, why, now);
  if (task.is == task::condition::waiting && !retries_.remove(task)
      && !gates_.remove(task, now))
    aside_.remove(task, now);
  if (task.is == task::condition::assigned) {
    auto& worker = *task.on;
    unassign(task, now);
    tasks_changed(worker, now);
  }
  end(task, outcome, why, now);
}

void dispatcher::recall(task& task, errc why) {
  if (task.cancel_reason == errc{})
    task.cancel_reason = why;
  if (task.recalled)
    return;
  task.recalled = true;
  are_taken_back_ = are_taken_back_ || task.follows;
  decisions_.emplace_back(decision::kind::recall, &task, task.on);
}

// -- facts about the pool -----------------------------------------------------

void dispatcher::ticked(instant now) {
  sheds_more_ = false; // a dispatch follows, unless the pool has ended
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
  if (sheds_more_)
    return instant::min();
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
    [&](const task& each) { ++behind[each.flow.key().hash()]; });
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

} // namespace libpool
