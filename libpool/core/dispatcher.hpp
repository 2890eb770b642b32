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

/// The core of every managed pool: a state machine that is told facts and makes
/// decisions. Each accepted task is settled exactly once, even if workers crash
/// or hang. The dispatcher reads no clock, knows no threads and calls only its
/// policies, so the actor, the simulator and the tests run the same code.
///
/// A task is settled when its client can be answered. The place of the task in
/// the window of its worker becomes free when its handler has ended. A worker
/// hangs if one of its tasks has passed its deadline and still runs: the worker
/// is sent nothing more, and tasks that wait for it go to other workers.
///
/// Load:    a task that comes back from a worker, or that crashed one, keeps
///          its number, and so its place before tasks that were accepted later.
/// Order:   the caller has to carry out decisions in the order in which they
///          were made.
/// Cost:    O(log tasks) per fact, besides the cost of the policies; a worker
///          that leaves or hangs costs O(log tasks) for each of its tasks. Once
///          `decisions` and the heaps of the policies have grown, memory is
///          allocated only for tasks that have to wait for particular workers:
///          O(workers named). If the order goes by flows, a worker that gets
///          room costs O(flows with tasks that wait for this worker in
///          particular).
/// Threads: one at a time.
/// Errors:  facts about unknown tasks and workers change nothing.
class dispatcher {
public:
  /// Makes a dispatcher without workers and tasks.
  dispatcher(composition how, const limits& within);

  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;

  /// @pre all tasks and workers that the dispatcher knows outlive it
  ~dispatcher() = default;

  /// Sets the recorder that each run is recorded by from now on; nullptr: none.
  /// The recorder must stay alive as long as it is set.
  void record(recorder* by) noexcept {
    recorder_ = by;
  }

  // -- facts about workers ----------------------------------------------------

  /// The worker serves from now on.
  void joined(worker& worker, instant now);

  /// The worker leaves: it gets no further tasks, and is dismissed when the
  /// tasks that it has begun have ended.
  void retired(worker& worker, instant now);

  /// The worker is dead. A task in its mailbox stays there until it is reported
  /// as `finished`, `returned` or `unhandled`.
  void left(worker& worker, instant now);

  /// The worker is sent nothing until it is `resumed`, so that others get its
  /// thread.
  void paused(worker& worker, instant now);

  /// The worker can be sent tasks again.
  void resumed(worker& worker, instant now);

  /// The worker rests: it gets no tasks until `until`, or until `roomy` is
  /// told. Tasks that are assigned to the worker and not sent wait for other
  /// workers.
  void rested(worker& worker, instant until, instant now);

  /// The worker has room again, so its rest is over.
  void roomy(worker& worker, instant now);

  /// The worker is a pool, and has `places` as its window and as its number of
  /// seats from now on. `has_nobody`: it has no workers and expects none. Tasks
  /// that were sent to the worker stay there. If `places` is 0, tasks that are
  /// assigned to the worker and not sent wait for other workers.
  void resized(worker& worker, std::size_t places, bool has_nobody,
               instant now);

  /// Tasks of `where`, which is open, may run on the workers `only` from now
  /// on; ascending. A worker that joins must be added here before `joined`.
  ///
  /// Cost: O(workers named).
  void changed(restriction& where, std::vector<worker_number> only);

  // -- facts about tasks ------------------------------------------------------

  /// A client submits `task`. If the task is accepted, its time of acceptance
  /// is `came`, which is at most `now`.
  void submitted(task& task, instant now, instant came);

  /// A client submits `task`, which came at `now`.
  void submitted(task& task, instant now) {
    submitted(task, now, now);
  }

  /// A client submits `task`, and the caller refuses it for the reason `why`.
  void refused(task& task, errc why);

  /// The handler of the task has begun. If the worker then skips the message,
  /// this is called again when the handler begins anew.
  void started(task& task, instant now);

  /// The handler of the task has ended. If `started` was not told, the handler
  /// counts as begun at `now`. An interrupted task waits again; this does not
  /// count as an attempt.
  void finished(task& task, ending how, instant now);

  /// The task was just sent with a lease: its worker may go on with `followers`
  /// further tasks, which are unknown to the dispatcher. These tasks get the
  /// next numbers in recordings.
  void leads(task& task, std::size_t followers) noexcept {
    task.next_number = numbers_ + 1;
    numbers_ += followers;
  }

  /// The worker has completed tasks of its lease: the range from `first` to
  /// `last` has the times of these tasks, in order, beginning with `task`
  /// itself. From now on `task` stands for the next task of the lease, which
  /// was accepted at `last->accepted`, and keeps the place that its own number
  /// gives it.
  /// @pre `may_go_on() > 0`; `leads` has announced as many tasks; none of the
  ///      tasks has a deadline or a restriction to particular workers, and none
  ///      was cancelled
  void went_on(task& task, const run_times* first, const run_times* last);

  /// The task, which was just sent, stands for a message that was accepted at
  /// `accepted`. Further messages of its flow are unknown to the dispatcher.
  void stands_for(task& task, instant accepted) noexcept {
    task.accepted = accepted;
  }

  /// The task came back without having started. If it was not recalled, its
  /// worker is dead.
  void returned(task& task, instant now);

  /// The task came back without having been handled, whether or not its worker
  /// had looked at it. The state of the worker does not change.
  void unhandled(task& task, instant now);

  /// The task cannot be taken back from its worker, and has not begun. It is
  /// recalled again if it is cancelled.
  void kept(task& task);

  /// From now on, the waiting task may run only on the workers of `where`.
  /// @pre the task has no open restriction
  void restricted(task& task, restriction& where);

  /// The task fails for the reason `why` if it waits.
  void failed(task& task, errc why, instant now);

  /// The task is not wanted any more. A task that waits or is assigned is
  /// settled at once; a sent task is recalled; a running task is settled at
  /// once, and its handler goes on.
  void cancelled(task& task, errc why, instant now);

  // -- facts about the pool ---------------------------------------------------

  /// The time is `now`: cancels tasks whose deadlines have passed, and ends the
  /// rests of workers.
  void ticked(instant now);

  /// Further tasks are refused with `why`, or with the reason of an earlier
  /// call.
  void closed(errc why);

  /// No worker will come soon: tasks that wait fail with `why`.
  void deserted(errc why, instant now);

  /// No worker will ever come: further tasks are refused, and tasks that wait,
  /// or come back later, fail with `why`. Tasks that are assigned to serving
  /// workers are still sent.
  void abandoned(errc why, instant now);

  // -- questions --------------------------------------------------------------

  /// Assigns and sends all tasks that can be sent, and cancels tasks whose
  /// deadlines have passed. Separate from the facts, so that one dispatch can
  /// follow many facts.
  void dispatch(instant now);

  /// Sends one waiting task, and cancels tasks whose deadlines have passed.
  /// Returns the task; nullptr if none can be sent.
  /// @pre assignment is lazy
  task* dispatch_next(instant now);

  /// Returns when `ticked` or `dispatch` must be called next; `never` if not at
  /// all.
  instant next_tick() const noexcept;

  /// Whether a new task would have to wait until a task in a mailbox ends.
  bool is_saturated() const noexcept {
    return with_room_ == 0 && ledger_.sent + ledger_.running > 0;
  }

  /// Whether a new task would have to wait until a task in a mailbox ends, and
  /// until all tasks that wait already have been sent. Always false with eager
  /// assignment, and if tasks do not go in the order of arrival.
  bool is_busy() const noexcept {
    return takes_turns_ && is_saturated();
  }

  /// Whether `is_busy()`, or whether a new task would have to wait for a worker
  /// that pauses.
  bool is_busy_or_pauses() const noexcept {
    return is_busy() || (takes_turns_ && offered_ == 0 && pausing_ > 0);
  }

  /// Returns how long a worker that has ended a task may go on with messages of
  /// which no task was made, before a policy has to be told. These are the next
  /// messages of all, or of the flow of the task. Zero: not at all. Constant.
  duration may_go_on() const noexcept {
    if (!is_late_ || measured_ || !policy_.placement->lets_workers_go_on())
      return duration{0};
    return policy_.order->may_go_on();
  }

  /// Whether the order limits flows, so that a new task may be refused at once.
  bool limits_flows() const noexcept {
    return policy_.order->has_limits();
  }

  /// Returns the measure that is taken of tasks; none: tasks are not measured.
  std::optional<measure> measures() const noexcept {
    return measured_;
  }

  /// Whether a task of `flow` waits. False if the order does not go by flows.
  bool has_waiting(const flow_key& flow) const noexcept {
    return policy_.order->has_waiting(flow);
  }

  /// Whether the order goes by flows, so that seats count in place of windows.
  bool has_flows() const noexcept {
    return has_flows_;
  }

  /// Returns the statistics of at most `most` flows, the flows with the most
  /// waiting tasks first. Costs O(flows).
  std::vector<flow_stats> flows(std::size_t most) const {
    return policy_.order->flows(most);
  }

  /// Returns the number of times that an idle worker took over a task of
  /// another worker.
  std::uint64_t steals() const noexcept {
    return steals_;
  }

  /// Returns the number of tasks that wait for particular workers.
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

  /// Whether the policies use the time.
  bool is_timed() const noexcept {
    return follows_starts_ || policy_.order->is_timed();
  }

  /// Returns the decisions, which the caller carries out and clears.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

  /// Returns the number of tasks in each state.
  const ledger& books() const noexcept {
    return ledger_;
  }

  /// Returns the counts since the dispatcher was made.
  const pool_record& record() const noexcept {
    return record_;
  }

  /// Returns the number of serving workers with tasks in their mailboxes.
  std::size_t busy() const noexcept {
    return busy_;
  }

  /// Returns the number of tasks that are settled and whose handlers still run.
  std::uint64_t overdue() const noexcept {
    return overdue_;
  }

  /// Returns the task that was accepted first among all tasks that are not
  /// sent; nullptr if all tasks are sent.
  const task* oldest_unsent() const noexcept {
    return ages_.oldest_unsent();
  }

  /// Returns the tasks in mailboxes, in the order in which they were sent.
  const tasks_by_time& sent() const noexcept {
    return ages_.sent();
  }

  /// Returns at most `most` of the tasks in mailboxes, in the order in which
  /// they were sent.
  std::vector<task*> first_sent(std::size_t most) {
    return ages_.first_sent(most);
  }

  /// Calls `visit` with each task that is not settled or whose handler still
  /// runs, until `visit` returns false. Tasks in mailboxes come first.
  template <class Visitor>
  void for_each_open(Visitor visit) const {
    ages_.for_each(visit);
  }

private:
  /// The service time of a handler, and its ending.
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

  /// The worker that gets a task; nullptr: none for now. `is_picked`: the
  /// placement chose the worker, and has to be told. `is_unplaced`: the task
  /// has to wait for the placement or for other tasks of its key, and not for
  /// particular workers.
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
  bool follows_starts_ = false;     // whether policies are told of starts
  bool is_late_ = false;            // whether assignment is lazy
  bool takes_turns_ = false;        // lazy, and by arrival
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
  std::size_t idle_ = 0; // number of idle workers, if there is a stealing
  std::uint64_t steals_ = 0;
  std::uint64_t lost_homes_ = 0;
  std::uint64_t numbers_ = 0;    // task numbers given so far
  worker_number next_number_{0}; // above those of all workers so far
  seat_book seats_;
  waiting_room aside_; // tasks that are set aside
  std::vector<worker*> candidates_;

  std::size_t offered_ = 0;   // workers that are offered
  std::size_t with_room_ = 0; // workers that could be sent a task
  std::size_t pausing_ = 0;   // serving workers that pause
  std::size_t busy_ = 0;      // serving workers with tasks in their mailboxes
  std::uint64_t overdue_ = 0; // settled tasks whose handlers still run
  std::uint64_t unknown_ = 0; // condition `unknown`; never read
  /// Number of tasks in each condition.
  const std::array<std::uint64_t*, 6> counts_{
    &unknown_,     &ledger_.waiting, &ledger_.assigned,
    &ledger_.sent, &ledger_.running, &overdue_};
  std::uint64_t choices_ = 0;
  std::optional<errc> closed_;
  std::optional<errc> abandoned_;
};

} // namespace libpool
