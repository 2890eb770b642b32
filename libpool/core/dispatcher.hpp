#pragma once

#include "libpool/core/composition.hpp"
#include "libpool/core/decision.hpp"
#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/ending.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/joint_runs.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/core/load_shedding.hpp"
#include "libpool/core/nested_waits.hpp"
#include "libpool/core/pool_needs.hpp"
#include "libpool/core/pool_record.hpp"
#include "libpool/core/pool_tasks.hpp"
#include "libpool/core/pool_workers.hpp"
#include "libpool/core/recorder.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/retry_budget.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_leases.hpp"
#include "libpool/core/task_retries.hpp"
#include "libpool/core/task_watch.hpp"
#include "libpool/core/throttling.hpp"
#include "libpool/core/waiting_capacity.hpp"
#include "libpool/core/waiting_room.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/core/worker_chooser.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// State machine at the core of every managed pool: decides which worker gets
/// which task, and when. Its owner reports facts about tasks and workers, and
/// carries out the decisions. Each accepted task is settled (completed, failed
/// or cancelled) exactly once, even if workers crash or hang. The dispatcher
/// reads no clock, starts no thread and calls only its policies, so the actor,
/// the simulator and the tests run the same code.
///
/// A worker hangs if one of its handlers still runs after the deadline of the
/// task, or after the time limit, even if the task was cancelled before. The
/// client of the task is answered then, but
/// the task counts as a task of the worker until the handler has ended. A
/// worker that hangs gets no tasks, and its tasks that have not begun go to
/// other workers.
///
/// Order:   decisions must be carried out in the order in which they were made.
///          A task that comes back from a worker, or that has crashed a worker,
///          keeps its number in the order of acceptance, and so its place
///          before tasks that were accepted later and wait. It does not take
///          back tasks that were sent to a worker together with others.
/// Cost:    O(log tasks) per fact, besides the cost of the policies. A worker
///          that leaves or hangs costs O(log tasks) for each of its tasks. If
///          the policy divides the pool among flows, a worker that gets room
///          costs O(flows with tasks that wait for this worker). Once
///          `decisions` and the heaps of the policies have grown, memory is
///          allocated only for tasks that wait for particular workers:
///          O(workers that may run the task).
/// Threads: one at a time.
/// Errors:  facts about unknown tasks and workers are ignored.
class LIBPOOL_EXPORT dispatcher {
public:
  /// Makes a dispatcher without workers and tasks. `composition`: policy that
  /// chooses tasks and workers. `within`: limits on waiting tasks and on
  /// retries.
  /// @pre `composition` has an order and a placement, and lazy assignment if
  ///      `order::has_flows` is true
  dispatcher(composition composition, const limits& within);

  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;

  /// Destroys the dispatcher, which may still have tasks and workers.
  /// @pre these tasks and workers still exist
  ~dispatcher() = default;

  /// Sets the recorder, which keeps the runs of handlers from now on for
  /// pictures and traces; nullptr: runs are not recorded. The recorder must
  /// stay alive until it is replaced or the dispatcher is destroyed.
  void record(recorder* recorder) noexcept {
    recorder_ = recorder;
  }

  /// Returns the recorder; nullptr if runs are not recorded.
  libpool::recorder* recorded_by() const noexcept {
    return recorder_;
  }

  // -- facts about workers ----------------------------------------------------

  /// Adds the worker to the pool. From now on, the worker can get tasks.
  void joined(worker& worker, instant now);

  /// Removes the worker from the pool: the worker gets no further tasks, and
  /// its tasks that have not begun go to other workers. When its running tasks
  /// have ended, the decision `dismiss` lets the owner destroy the worker.
  void retired(worker& worker, instant now);

  /// Records that the worker has ended, for example because it crashed. The
  /// owner must report each task in the mailbox of the worker by `finished`,
  /// `returned` or `unhandled`; until then, the task stays in the mailbox.
  void left(worker& worker, instant now);

  /// Stops sending tasks to the worker until `resumed` is called, so that other
  /// workers can run on the thread of the worker.
  void paused(worker& worker, instant now);

  /// Lets the worker be sent tasks again, after `paused` has stopped this.
  void resumed(worker& worker, instant now);

  /// Gives the worker no tasks until the time `until`, or until `roomy` is
  /// called, for example because the worker was full and gave a task back.
  /// Tasks that are assigned to the worker and not sent wait for other workers.
  void rested(worker& worker, instant until, instant now);

  /// Lets the worker get tasks again, because it has room. Ends the time
  /// without tasks that `rested` or a crash has begun.
  void roomy(worker& worker, instant now);

  /// Sets the size of the worker, which is itself a pool: `places` is the
  /// maximum number of its tasks, and the maximum sum of their widths. If
  /// `places` is 0, tasks that are assigned to the worker and not sent wait for
  /// other workers; sent tasks stay. `has_nobody`: whether the worker has no
  /// workers of its own and expects none.
  void resized(worker& worker, std::size_t places, bool has_nobody,
               instant now);

  /// Replaces the set of workers that may run the tasks of `where` by `only`,
  /// sorted in ascending order. Permitted only if `where.open` is true. A new
  /// worker must be added to the set before `joined` is called for it.
  ///
  /// Cost: O(workers in the set).
  void changed(restriction& where, std::vector<worker_number> only);

  // -- pauses by users, and limits --------------------------------------------

  /// Pauses the worker: it gets no tasks until `reinstated` is called. Its
  /// tasks that have not begun go to other workers.
  void suspended(worker& worker, instant now);

  /// Ends the pause of the worker.
  void reinstated(worker& worker, instant now);

  /// Pauses the pool: no task is sent to a worker until `reinstated` is called.
  /// Tasks that were sent and have not begun are taken back.
  void suspended(instant now);

  /// Ends the pause of the pool. Pauses of workers and flows go on.
  void reinstated(instant now);

  /// Pauses the flow with the name `name`: no task of the flow goes to a
  /// worker until `reinstated` is called. Tasks of the flow that were sent and
  /// have not begun are taken back.
  /// @pre `needs().may_throttle`
  ///
  /// Cost: O(tasks).
  void suspended(const std::string& flow, instant now);

  /// Ends the pause of the flow.
  void reinstated(const std::string& flow, instant now);

  /// Ends all pauses, and lifts limits of zero tasks at workers.
  void all_reinstated(instant now);

  /// Replaces the limits on the tasks at workers. Tasks at workers stay there.
  /// @pre `needs().may_throttle`
  ///
  /// Cost: O(tasks).
  void limited(const throttles& within, instant now);

  /// Replaces the shares of flows, see `order::set_shares`. Returns whether the
  /// policy has shares.
  ///
  /// Cost: O(flows · log flows).
  bool reshared(const std::map<std::string, double>& shares) {
    return policy_.order->set_shares(shares);
  }

  /// Sets the waiting time that raises priorities, see `order::set_age_step`.
  /// Returns whether the policy raises priorities.
  bool ages(duration age_step) noexcept {
    return policy_.order->set_age_step(age_step);
  }

  /// Sets the weight of the worker, which is above 0. Returns whether the
  /// policy has weights.
  bool reweighed(worker& worker, duration weight) noexcept {
    auto before = std::exchange(worker.weight, weight);
    return policy_.placement->reweighed(worker, before);
  }

  /// Limits of flows, and their numbers of tasks at workers.
  const throttling& gates() const noexcept {
    return gates_;
  }

  /// Whether tasks that wait may wait for a user alone: the pool, a worker or a
  /// flow is paused, or the limit of a flow is 0, and nothing happens by time.
  bool waits_for_user() const noexcept {
    return (workers_.has_suspended() || gates_.holds_back())
           && next_tick() == never;
  }

  // -- facts about tasks ------------------------------------------------------

  /// Submits a new task, which is accepted or refused. An accepted task counts
  /// as accepted at the time `came`, which is not later than the current time
  /// `now`.
  void submitted(task& task, instant now, instant came);

  /// Submits a new task, which is accepted or refused. An accepted task counts
  /// as accepted at the current time `now`.
  void submitted(task& task, instant now) {
    submitted(task, now, now);
  }

  /// Submits a new task for which a place was reserved, so that `capacity` does
  /// not apply. `came`: as for `submitted`.
  void submitted_in_place(task& task, instant now, instant came);

  /// Refuses a new task that was not submitted: counts the refusal, and decides
  /// to answer the client of the task with the reason `why`.
  void refused(task& task, errc why);

  /// Records that the handler of the task has begun. Ignored, as is an end, for
  /// a task that was sent together with a task before it which has not come
  /// back (`task::follows`). Must be called again if
  /// the worker skips the message, as CAF permits, and later begins to handle
  /// it again.
  void started(task& task, instant now);

  /// Records that the handler of the task has ended, in the way `ending`. If
  /// `started` was not called, the handler counts as begun at `now`. A task
  /// that ends by `ending::interrupted` waits for another run, without counting
  /// as a crash.
  void finished(task& task, ending ending, instant now);

  /// Records that the handler of the task began at `started`, and has completed
  /// at `now`: the same as `started` and `finished`.
  void completed(task& task, instant started, instant now);

  /// Records that the handler of the task has ended at the time `ended`, and
  /// has answered with an error that the task may be retried after. Returns
  /// `yes` if the task is retried: it waits for the time `wait` or, if that is
  /// zero, for a time that `limits::backoff` gives. Returns `no` if the task
  /// has no retries left or its deadline is earlier, and `over_budget` if only
  /// `limits::budget` keeps it from the retry. After both, the caller must
  /// report the end of the task by `finished`.
  retry_verdict answered_with_error(task& task, duration wait, instant ended,
                                    instant now);

  /// Records that the worker gave the task back before the handler began. If
  /// the dispatcher had not asked for the task by the decision `recall`, the
  /// worker counts as ended.
  void returned(task& task, instant now);

  /// Records that the worker gave the task back without handling it, for
  /// example because the worker was full, or because tasks that it was sent
  /// together have taken long. `started` may have been called before. Unlike
  /// after `returned`, the worker never counts as ended.
  void unhandled(task& task, instant now);

  /// Answers the decision `look`: the handler of the message that the task now
  /// stands for began at `started`; `never`: it has not begun. If the handler
  /// has reached the time limit, the task is cancelled.
  void looked_at(task& task, instant started, instant now);

  /// Records that the worker keeps a task that it was asked to give back, and
  /// has not begun it. If the task is cancelled later, the worker is asked
  /// again.
  void kept(task& task);

  /// Records that a task that was cancelled after it was sent is not cancelled:
  /// its worker keeps it, and only its handler can answer the client.
  void spared(task& task);

  /// Lets only the workers of `where` run the task. Has no effect if the task
  /// does not wait, or was set aside because no worker could take it.
  /// @pre the task has no restriction whose `open` is true
  void restricted(task& task, restriction& where);

  /// Fails the task for the reason `why` if the task was not sent to a worker;
  /// otherwise has no effect.
  void failed(task& task, errc why, instant now);

  /// Cancels the task for the reason `why`. A task that was not sent to its
  /// worker is cancelled at once. A task that was sent and has not begun is
  /// first taken back from the worker. If the handler runs, the client is
  /// answered at once, and the handler runs on.
  void cancelled(task& task, errc why, instant now);

  /// Returns the handlers that wait for tasks of the pool. If these are in a
  /// cycle (`nested_waits::in_cycle`), the caller must add a worker, if that
  /// can help, or fail the task.
  const nested_waits& waits() const noexcept {
    return waits_;
  }

  // -- tasks that are sent together -------------------------------------------

  /// Returns the tasks that were sent to workers together with others. While
  /// there are such tasks, ends of tasks may be unknown here. The caller must
  /// report these ends, in order, before it calls a function that looks at
  /// deadlines or limits.
  const task_leases& leases() const noexcept {
    return leases_;
  }

  /// Calls `f` with each worker that has tasks which were sent together with
  /// others, in the order in which they were sent, until `f` returns false.
  template <class F>
  void for_each_leased(F f) {
    for (auto i = leases_.workers().begin(); i != leases_.workers().end();)
      if (!f(*i++))
        return;
  }

  /// Records a recent service time, if the caller does not tell the times of
  /// each task.
  void task_took(duration service) noexcept {
    leases_.note(service);
  }

  // -- facts about the pool ---------------------------------------------------

  /// Whether tasks are due at the time `now`, which `ticked` has not looked at.
  bool has_due(instant now) const noexcept {
    return watch_.has_due(now);
  }

  /// Cancels tasks whose deadlines have passed at the time `now`. Lets workers
  /// get tasks again that were to get none until `now` or earlier, for example
  /// after a crash.
  void ticked(instant now);

  /// Closes the pool: tasks that are submitted later are refused for the reason
  /// `why`. If the pool is closed already, the first reason stays.
  void closed(errc why);

  /// Fails all tasks that are not assigned to a worker, for the reason `why`.
  /// Called if the pool has no worker and expects none soon.
  void deserted(errc why, instant now);

  /// Closes the pool, because no worker will ever join. Tasks that are not
  /// assigned to a worker, and tasks that come back later, fail for the reason
  /// `why`. Tasks that are assigned to serving workers are still sent.
  void abandoned(errc why, instant now);

  // -- dispatch, and questions ------------------------------------------------

  /// Assigns waiting tasks to workers, and sends all tasks that can be sent.
  /// Also cancels tasks whose deadlines have passed. Must be called after facts
  /// were reported by the functions above; one call can follow several facts.
  /// If tasks that were sent together are to be taken back, sends no task until
  /// the caller has carried out the decisions and calls the function again.
  void dispatch(instant now);

  /// Returns the time at which `ticked` or `dispatch` must be called, for
  /// example because a deadline passes; `never` if no call is needed.
  instant next_tick() const noexcept;

  /// Whether no worker can be sent a further task until a task that was sent
  /// has ended, so that a new task has to wait.
  bool is_saturated() const noexcept {
    return workers_.with_room() == 0
           && tasks_.books.sent + tasks_.books.running > 0;
  }

  /// Whether a new task has to wait behind all waiting tasks, because no worker
  /// can be sent a further task (`is_saturated`), the pool is paused, or each
  /// worker with room pauses, that is, gets no tasks for a moment. Always false
  /// if workers are chosen when tasks arrive (eager assignment), or if tasks
  /// are not sent in the order of arrival.
  bool is_busy_or_pauses() const noexcept {
    return needs_.takes_turns
           && (is_saturated()
               || (workers_.offered() == 0 && workers_.has_pauses()));
  }

  /// Returns the room for waiting tasks. The caller may reserve places there
  /// for `submitted_in_place`.
  waiting_capacity& capacity() noexcept {
    return capacity_;
  }

  /// Returns the waiting task that goes to a worker next; nullptr if none waits
  /// or can go.
  const task* next_waiting(instant now) const noexcept {
    return tasks_.books.waiting > 0 ? policy_.order->choose(now) : nullptr;
  }

  /// Returns the waiting tasks of the flow of a refused task, and the flows
  /// that share the workers with it; 0 tasks: unknown.
  flow_line line_for(const task& task) const noexcept {
    return policy_.order->line_for(task);
  }

  /// Returns the statistics of the flows with the most waiting tasks, the
  /// longest queue first. `most`: maximum number of flows.
  ///
  /// Cost: as if there were at most `most_compared_flows` flows; O(tasks that
  ///       were sent together with others).
  std::vector<flow_stats> flows(std::size_t most) const;

  /// Returns the retries of tasks, and the tasks that wait for them.
  const task_retries& retries() const noexcept {
    return retries_;
  }

  /// Returns the number of tasks that wait for the times of their retries.
  std::size_t retrying() const noexcept {
    return retries_.delayed() - runs_.held();
  }

  /// Returns the number of tasks that were not sent to workers, without those
  /// that wait for the runs of others.
  ///
  /// Cost: O(runs that tasks share).
  std::uint64_t unsent_runs() const noexcept {
    return tasks_.books.waiting + tasks_.books.assigned
           - runs_.waiting_joiners();
  }

  /// Returns the runs that several tasks share.
  const joint_runs& runs() const noexcept {
    return runs_;
  }

  /// Returns the number of waiting tasks that were set aside, because only
  /// particular workers may run them and none of these workers can take a task.
  std::size_t held() const noexcept {
    return aside_.held();
  }

  /// Returns what the policy and the limits ask of the dispatcher and of its
  /// owner. Constant.
  const pool_needs& needs() const noexcept {
    return needs_;
  }

  /// Returns the decisions that were made since the caller last cleared the
  /// vector. The caller carries them out in order, and then clears the vector.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

  /// Returns the number of tasks in each state.
  const ledger& books() const noexcept {
    return tasks_.books;
  }

  /// Returns the statistics of tasks and handler runs since the dispatcher was
  /// made.
  const pool_record& record() const noexcept {
    return record_;
  }

  /// Returns the workers, and how many of them can get tasks.
  const pool_workers& workers() const noexcept {
    return workers_;
  }

  /// Returns the tasks that are not settled or whose handlers still run.
  const pool_tasks& tasks() const noexcept {
    return tasks_;
  }

private:
  /// Time that a handler has run, how the run ended, and whether the task is
  /// not tried again.
  struct handler_run {
    duration took;
    ending how;
    bool is_last;
  };

  errc objection(const task& task, instant now) const noexcept;
  errc objection_of_order(const task& task, instant now) const noexcept;
  void refuse(task& task, errc why);
  bool make_room(task& task, instant now);
  void accept(task& task, instant now, instant came);
  void admit(task& task, instant came);
  void note_places(const task& task);
  bool assign_at_once(task& task, instant now);

  void set_aside(task& task, bool is_unplaced, instant now);
  void park(task& task, instant now);
  void fail_lost(instant now);

  bool may_lead(const task& task) const noexcept;
  bool may_follow(const task& task, const worker& worker, instant until) const;
  task* next_to_go(instant now);
  task* next_open(instant now);
  task* next_after_shedding(instant now);
  task& newest_to_go(task& next, instant now);
  void lease_behind(task& first, instant now);
  void take_followers_back(worker& worker, std::size_t n);
  void take_overdue_back(instant now);
  bool keeps_worker(const task& task) const noexcept;
  void assign_again(task& task, instant now);

  void bind_and_send(instant now);
  task* bind_next(instant now);
  void hand_out(task& task, const chosen_worker& worker, instant now);
  void assign(task& task, worker& worker, instant now);
  void unassign(task& task, instant now);
  void send_next(worker& worker, instant now);
  void send(task& task, instant now);
  void wait_until(task& task, instant time, instant now);
  void free_delayed(instant now);
  void requeue(task& task, instant now);
  void ended(task& task, ending ending, instant now);
  void done(task& task, instant now);
  bool leave(task& task, const handler_run& run, instant now);
  void put_back(task& task, instant now);
  bool take_back(task& task, const handler_run* run, instant now);
  void close_accounts(task& task, const handler_run* run, bool had_turn,
                      libpool::task* next, instant now);
  void came_back(worker& worker, instant now);
  void drop(task& task, outcome outcome, errc why, instant now);

  void begin(task& task, instant now);
  void presume_start(worker& worker, instant now) {
    if (needs_.starts)
      presume_first_start(worker, now);
  }

  void presume_first_start(worker& worker, instant now);
  void presume_start(worker& worker, task& task, instant now);
  void note_run(const task& task, worker& worker, const handler_run& run);
  void recall(task& task, errc why);
  void is_due(task& task, instant now);
  void look_whether_waits(worker& worker, instant now);
  void withdraw(worker& worker, instant now);
  void hang(worker& worker, instant now);

  void stops_serving(worker& worker, worker::condition next, instant now);
  bool could_be_sent(task& task, instant now);
  void to_order(task& task, instant now);

  bool joins(task& task, instant now);
  void join(task& task, joint_run& run, instant now);
  void raise(task& leader, std::int64_t priority, instant now);
  void end_hold(joint_run& run, instant now);
  void send_joined(joint_run& run);
  void begin_joined(task& joiner, instant now);
  void begin_all_joined(joint_run& run, instant now);
  void return_joined(joint_run& run, instant now);
  void end_joined(task& leader, outcome outcome, errc why, instant now);
  void joined_run_ended(task& leader, ending ending,
                        std::optional<instant> again_at, instant now);
  void run_for_joiners(task& leader, ending ending, instant now);
  bool is_halved(const task& leader, ending ending) const noexcept;
  std::optional<instant> first_half_at(const task& leader, instant now) const;
  void halve(task& leader, ending ending, instant now);
  void leave_run(task& task, instant now);
  void take_place(task& next, const task& former, instant now);
  void may_go(task& leader, instant now);
  void is_unwanted(task& task, instant now);

  void wait_again(task& task, instant now);
  void refresh(worker& worker, instant now);
  void tasks_changed(worker& worker, instant now);
  void recall_unbegun(worker& worker);
  void refresh_all(instant now);
  void take_off(worker& worker, instant now);
  void unassign_all(worker& worker, instant now);
  void dismiss_if_done(worker& worker, instant now);
  bool steal(instant now);

  void end(task& task, outcome outcome, errc why, instant now);
  void count_outcome(task& task, outcome outcome, errc why, instant now);
  void release(task& task, instant now);
  void forget(task& task) noexcept;

  composition policy_;
  const pool_needs needs_;
  task_watch watch_;
  pool_tasks tasks_;
  pool_record record_;
  recorder* recorder_ = nullptr;
  std::vector<decision> decisions_;

  pool_workers workers_;
  std::uint64_t numbers_ = 0; // task numbers given so far
  waiting_room aside_;        // tasks that are set aside
  worker_chooser chooser_;
  throttling gates_;
  nested_waits waits_;
  task_leases leases_;
  waiting_capacity capacity_;
  bool are_taken_back_ = false; // tasks that were sent together
  task_retries retries_;
  load_shedding shedding_;
  joint_runs runs_;
  std::size_t shed_ = 0;       // tasks that this dispatch has dropped
  bool sheds_more_ = false;    // there are more tasks to drop
  const std::size_t most_due_; // that one call looks at
  const bool keeps_accounts_;  // of starts or flows
  const bool refuses_wide_;    // tasks that need more seats than there are
  const bool is_bounded_;      // whether a new task may be refused

  std::uint64_t choices_ = 0;
  std::optional<errc> closed_;
};

} // namespace libpool
