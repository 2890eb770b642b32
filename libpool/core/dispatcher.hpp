#pragma once

#include "libpool/core/composition.hpp"
#include "libpool/core/decision.hpp"
#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/ending.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/core/pool_record.hpp"
#include "libpool/core/recorder.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/run_times.hpp"
#include "libpool/core/seat_book.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_ages.hpp"
#include "libpool/core/waiting_room.hpp"
#include "libpool/core/worker.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The core of every managed pool: a state machine that receives facts about
/// tasks and workers, and makes decisions, which its owner carries out. Each
/// accepted task is settled exactly once, even if workers crash or hang. The
/// dispatcher reads no clock, starts no thread and calls only its policies, so
/// the actor, the simulator and the tests run the same code.
///
/// A task is settled when its client can be answered. The task keeps its place
/// in the window of its worker until its handler has ended. A worker hangs if
/// one of its tasks has passed its deadline and still runs. A worker that hangs
/// gets no tasks, and its tasks that have not begun go to other workers.
///
/// Order:   decisions must be carried out in the order in which they were made.
///          A task that comes back from a worker, or that has crashed a worker,
///          keeps its number, and so its place before tasks that were accepted
///          later.
/// Cost:    O(log tasks) per fact, besides the cost of the policies. A worker
///          that leaves or hangs costs O(log tasks) for each of its tasks. If
///          the order uses flows, a worker that gets room costs O(flows with
///          tasks that are held for this worker). Once `decisions` and the
///          heaps of the policies have grown, memory is allocated only for
///          tasks that are held for particular workers: O(workers that the
///          restriction names).
/// Threads: one at a time.
/// Errors:  facts about unknown tasks and workers are ignored.
class dispatcher {
public:
  /// Makes a dispatcher with the policy `how` and the limits `within`, without
  /// workers and tasks.
  /// @pre `how` has an order and a placement, and lazy assignment if the order
  ///      uses flows
  dispatcher(composition how, const limits& within);

  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;

  /// @pre all tasks and workers that the dispatcher knows outlive the
  ///      dispatcher
  ~dispatcher() = default;

  /// Sets the recorder of all runs from now on; nullptr: runs are not recorded.
  /// The recorder must stay alive until it is replaced or the dispatcher is
  /// destroyed.
  void record(recorder* by) noexcept {
    recorder_ = by;
  }

  // -- facts about workers ----------------------------------------------------

  /// Adds the worker, which serves from now on.
  void joined(worker& worker, instant now);

  /// Lets the worker leave: the worker gets no further tasks, its tasks that
  /// have not begun go to other workers, and it is dismissed when its other
  /// tasks have ended.
  void retired(worker& worker, instant now);

  /// Records that the worker has ended. A task in its mailbox stays there until
  /// the task is reported as `finished`, `returned` or `unhandled`.
  void left(worker& worker, instant now);

  /// Stops sending tasks to the worker until `resumed` is called, so that other
  /// workers can use its thread.
  void paused(worker& worker, instant now);

  /// Ends the pause of the worker, which can be sent tasks again.
  void resumed(worker& worker, instant now);

  /// Lets the worker rest: the worker gets no tasks until the time `until`, or
  /// until `roomy` is called. Tasks that are assigned to the worker and not
  /// sent wait for other workers.
  void rested(worker& worker, instant until, instant now);

  /// Ends the rest of the worker, which has room again.
  void roomy(worker& worker, instant now);

  /// Sets the window and the number of seats of the worker, which is a pool, to
  /// `places`. `has_nobody`: whether the worker has no workers of its own and
  /// expects none. Tasks that were sent to the worker stay there. If `places`
  /// is 0, tasks that are assigned to the worker and not sent wait for other
  /// workers.
  void resized(worker& worker, std::size_t places, bool has_nobody,
               instant now);

  /// Sets the workers that may run the tasks of the open restriction `where` to
  /// `only`, in ascending order. A worker that joins must be added here before
  /// the call of `joined`.
  ///
  /// Cost: O(workers that the restriction names).
  void changed(restriction& where, std::vector<worker_number> only);

  // -- facts about tasks ------------------------------------------------------

  /// Submits a new task, which is accepted or refused. `came`, which is at most
  /// `now`, is the acceptance time of the task if it is accepted.
  void submitted(task& task, instant now, instant came);

  /// Submits a new task, which is accepted or refused. `now` is the acceptance
  /// time of the task if it is accepted.
  void submitted(task& task, instant now) {
    submitted(task, now, now);
  }

  /// Refuses a new task for the reason `why`, because the caller does not
  /// accept the task.
  void refused(task& task, errc why);

  /// Records that the handler of the task has begun. Must be called again if
  /// the worker has skipped the message and then begins the handler anew.
  void started(task& task, instant now);

  /// Records that the handler of the task has ended. If `started` was not
  /// called, the handler counts as begun at `now`. An interrupted task waits
  /// again, and the interruption does not count as a crash.
  void finished(task& task, ending how, instant now);

  /// Records that the task, which was just sent, is the first of a lease with
  /// `followers` further tasks. The further tasks are unknown to the
  /// dispatcher, and get the next numbers in recordings.
  void leads(task& task, std::size_t followers) noexcept {
    task.next_number = numbers_ + 1;
    numbers_ += followers;
  }

  /// Records that the worker has completed tasks of its lease, beginning with
  /// `task` itself. The range [first, last) has the times of the completed
  /// tasks, in order. From now on, `task` stands for the next task of the
  /// lease, which was accepted at `last->accepted`. `task` keeps its number,
  /// and so its place in the order.
  /// @pre `may_go_on() > 0`; `leads` was called for the lease; none of its
  ///      tasks has a deadline or a restriction to particular workers, and none
  ///      was cancelled
  void went_on(task& task, const run_times* first, const run_times* last);

  /// Sets the acceptance time of the task, which stood for all waiting messages
  /// of a flow and now carries one message, to the acceptance time of this
  /// message. Must be called after the task was sent.
  void stands_for(task& task, instant accepted) noexcept {
    task.accepted = accepted;
  }

  /// Records that the task came back before its handler began. If the
  /// dispatcher has not recalled the task, its worker counts as ended.
  void returned(task& task, instant now);

  /// Records that the task came back without having been handled, even if
  /// `started` was called. The state of the worker does not change.
  void unhandled(task& task, instant now);

  /// Records that a recalled task stays at its worker and has not begun. The
  /// task is recalled again if it is cancelled.
  void kept(task& task);

  /// Restricts the waiting task to the workers of `where`. Has no effect on a
  /// task that is set aside.
  /// @pre the task has no open restriction
  void restricted(task& task, restriction& where);

  /// Fails the task for the reason `why` if the task waits.
  void failed(task& task, errc why, instant now);

  /// Cancels the task for the reason `why`. A waiting or assigned task is
  /// settled at once. A sent task is recalled. A running task is settled at
  /// once, and its handler runs on.
  void cancelled(task& task, errc why, instant now);

  // -- facts about the pool ---------------------------------------------------

  /// Cancels tasks whose deadlines have passed at the time `now`. Ends the rest
  /// of each worker that had to rest until `now` or earlier.
  void ticked(instant now);

  /// Closes the pool: further tasks are refused with `why`, or with the reason
  /// of an earlier call.
  void closed(errc why);

  /// Fails the waiting tasks with the reason `why`, because no worker will join
  /// soon.
  void deserted(errc why, instant now);

  /// Closes the pool, because no worker will ever join. Waiting tasks, and
  /// tasks that come back later, fail with the reason `why`. Tasks that are
  /// assigned to serving workers are still sent.
  void abandoned(errc why, instant now);

  // -- dispatch, and questions ------------------------------------------------

  /// Assigns and sends all tasks that can be sent, and cancels tasks whose
  /// deadlines have passed. Separate from the functions that report facts, so
  /// that one dispatch can follow several facts.
  void dispatch(instant now);

  /// Cancels tasks whose deadlines have passed, then sends one waiting task.
  /// Returns the task; nullptr if no task can be sent.
  /// @pre assignment is lazy
  task* dispatch_next(instant now);

  /// Returns the time at which `ticked` or `dispatch` must be called; `never`
  /// if no call is needed.
  instant next_tick() const noexcept;

  /// Whether a new task has to wait until a task in flight ends, because no
  /// worker has room.
  bool is_saturated() const noexcept {
    return with_room_ == 0 && ledger_.sent + ledger_.running > 0;
  }

  /// Whether a new task has to wait behind all waiting tasks, until a task in
  /// flight ends. Always false with eager assignment, and if tasks are not sent
  /// in the order of arrival.
  bool is_busy() const noexcept {
    return takes_turns_ && is_saturated();
  }

  /// Whether `is_busy()` is true, or a new task has to wait because all workers
  /// with room pause. Always false with eager assignment, and if tasks are not
  /// sent in the order of arrival.
  bool is_busy_or_pauses() const noexcept {
    return is_busy() || (takes_turns_ && offered_ == 0 && pausing_ > 0);
  }

  /// Returns the maximum duration of a lease; zero: leases are not permitted. A
  /// lease is one task, followed by messages that have no tasks. The messages
  /// are the next ones of all waiting messages, or of the flow of the task. The
  /// policies learn of the messages when the lease ends. Constant.
  duration may_go_on() const noexcept {
    if (!is_late_ || measured_ || !policy_.placement->lets_workers_go_on())
      return duration{0};
    return policy_.order->may_go_on();
  }

  /// Whether the order limits flows, and so may refuse a new task.
  bool limits_flows() const noexcept {
    return policy_.order->has_limits();
  }

  /// Returns the measure of the cost of tasks that the placement needs; none:
  /// costs are not measured.
  std::optional<measure> measures() const noexcept {
    return measured_;
  }

  /// Whether a task of `flow` waits. Always false if the order does not use
  /// flows.
  bool has_waiting(const flow_key& flow) const noexcept {
    return policy_.order->has_waiting(flow);
  }

  /// Whether the order uses flows. If so, the seats of a worker limit its
  /// tasks, instead of its window.
  bool has_flows() const noexcept {
    return has_flows_;
  }

  /// Returns the statistics of at most `most` flows, the flows with the most
  /// waiting tasks first.
  ///
  /// Cost: O(flows).
  std::vector<flow_stats> flows(std::size_t most) const {
    return policy_.order->flows(most);
  }

  /// Returns the number of times that an idle worker took over a task of
  /// another worker.
  std::uint64_t steals() const noexcept {
    return steals_;
  }

  /// Returns the number of waiting tasks that are held for particular workers.
  std::size_t held() const noexcept {
    return aside_.held();
  }

  /// Whether the policies use the kinds of tasks.
  bool goes_by_kinds() const noexcept {
    return goes_by_kinds_;
  }

  /// Returns the number of accepted tasks whose home was not a worker of the
  /// pool. Counted only with eager assignment.
  std::uint64_t lost_homes() const noexcept {
    return lost_homes_;
  }

  /// Whether the policies use the time, so that the caller has to read a clock.
  bool is_timed() const noexcept {
    return follows_starts_ || policy_.order->is_timed();
  }

  /// Returns the decisions so far. The caller carries out the decisions in
  /// order, and clears the vector.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

  /// Returns the number of tasks in each state.
  const ledger& books() const noexcept {
    return ledger_;
  }

  /// Returns the statistics of tasks and runs since the dispatcher was made.
  const pool_record& record() const noexcept {
    return record_;
  }

  /// Returns the number of serving workers that have tasks in their mailboxes.
  std::size_t busy() const noexcept {
    return busy_;
  }

  /// Returns the number of settled tasks whose handlers still run.
  std::uint64_t overdue() const noexcept {
    return overdue_;
  }

  /// Returns the task that was accepted first among the waiting and assigned
  /// tasks; nullptr if there are none.
  const task* oldest_unsent() const noexcept {
    return ages_.oldest_unsent();
  }

  /// Returns the tasks in the mailboxes of workers, in the order in which the
  /// tasks were sent.
  const tasks_by_time& sent() const noexcept {
    return ages_.sent();
  }

  /// Returns at most `most` tasks in the mailboxes of workers, in the order in
  /// which the tasks were sent.
  std::vector<task*> first_sent(std::size_t most) {
    return ages_.first_sent(most);
  }

  /// Calls `visit` with each task that is not settled or whose handler still
  /// runs, until `visit` returns false. Tasks in mailboxes of workers come
  /// first.
  template <class Visitor>
  void for_each_open(Visitor visit) const {
    ages_.for_each(visit);
  }

private:
  /// Service time of a handler, and how the handler ended.
  struct handler_run {
    duration took;
    ending how;
  };

  bool is_eager() const noexcept {
    return !is_late_;
  }

  errc objection(const task& task, instant now) const noexcept;
  bool could_be_sent(const task& task, instant now);
  bool make_room(task& task, instant now);
  void accept(task& task, instant now, instant came);

  /// Choice of a worker for a task. `worker`: nullptr if no worker can take the
  /// task now. `is_picked`: the placement chose the worker, so
  /// `placement::picked` must be called. `is_unplaced`: the task has to wait
  /// for the placement or for other tasks of its key, and not for particular
  /// workers.
  struct choice {
    libpool::worker* worker = nullptr;
    bool is_picked = false;
    bool is_unplaced = false;
  };

  choice worker_for(const task& task, instant now);
  worker* home_of(const task& task);
  worker* any_worker_for(const task& task, instant now);
  choice named_worker_for(const task& task, instant now);
  void gather_named(const task& task);
  worker* offered(worker_number number);
  bool gathers_seats(const task& task);
  void set_aside(task& task, bool is_unplaced, instant now);
  bool is_lost(const restriction& where) const;
  void fail_lost(instant now);
  void fail_all(restriction& where, instant now);

  void catch_up(instant now);
  void bind_and_send(instant now);
  task* bind_next(instant now);
  void hand_out(task& task, const choice& to, instant now);
  void pick(const task& task, const choice& to, instant now);
  void assign(task& task, worker& to, instant now);
  void unassign(task& task, instant now);
  void send_next(worker& to, instant now);
  void send(task& task, instant now);
  void retry(task& task, instant now);
  void requeue(task& task, instant now);
  void take_back(task& task, std::optional<handler_run> run, instant now);
  void drop(task& task, outcome how, errc why, instant now);

  void begin(task& task, instant now);
  void presume_start(worker& worker, instant now);
  void presume_start(worker& worker, task& task, instant now);
  duration cost_of(const task& task, instant now) const noexcept;
  void note_run(const task& task, worker& on, const handler_run& run);
  void record_run(const task& task, const worker& on, const handler_run& run);
  void crashed(task& task, ending how, instant now);
  void recall(task& task, errc why);
  void hang(worker& worker, instant now);
  void rest(worker& worker, instant until);
  void rest_after(const task& task, worker& worker, instant now);

  void stops_serving(worker& worker, instant now);
  void refresh(worker& worker, instant now);
  void tasks_changed(worker& worker, instant now);
  void count_seats(worker& worker, bool wanted, instant now);
  void take_off(worker& worker, instant now);
  void unassign_all(worker& worker, instant now);
  void dismiss_if_done(worker& worker, instant now);
  void keep_idle(worker& worker, bool wanted, instant now);
  bool steal(instant now);
  void take_over(task& moved, worker& thief, instant now);

  void settle(task& task, outcome how, errc why, instant now);
  void note_error(const task& task, outcome how, errc why, instant now);
  void release(task& task);
  void enter(task& task, task::condition next) noexcept;

  composition policy_;
  std::optional<measure> measured_; // measure that the placement needs
  bool follows_starts_ = false;     // whether policies need starts of tasks
  bool is_late_ = false;            // whether assignment is lazy
  bool takes_turns_ = false;        // lazy assignment, order by arrival
  bool has_flows_;
  bool goes_by_kinds_ = false;
  limits limits_;
  ledger ledger_;
  pool_record record_;
  recorder* recorder_ = nullptr;
  std::vector<decision> decisions_;

  workers_by_number members_;
  task_ages ages_;
  tasks_by_deadline due_;
  resting_workers resting_;
  ready_workers ready_;
  std::size_t idle_ = 0; // idle workers; 0 without a stealing
  std::uint64_t steals_ = 0;
  std::uint64_t lost_homes_ = 0;
  std::uint64_t numbers_ = 0;    // task numbers given so far
  worker_number next_number_{0}; // above all worker numbers so far
  seat_book seats_;
  waiting_room aside_; // tasks that are set aside
  std::vector<worker*> candidates_;

  std::size_t offered_ = 0;   // workers offered to the placement
  std::size_t with_room_ = 0; // workers that can be sent a task
  std::size_t pausing_ = 0;   // serving workers that pause
  std::size_t busy_ = 0;      // serving workers with tasks in their mailboxes
  std::uint64_t overdue_ = 0; // settled tasks whose handlers still run
  std::uint64_t unknown_ = 0; // written through `counts_`; never read
  /// Numbers of tasks in each state, indexed by `task::condition`.
  const std::array<std::uint64_t*, 6> counts_{
    &unknown_,     &ledger_.waiting, &ledger_.assigned,
    &ledger_.sent, &ledger_.running, &overdue_};
  std::uint64_t choices_ = 0;
  std::optional<errc> closed_;
  std::optional<errc> abandoned_;
};

} // namespace libpool
