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

/// The heart of every managed pool: a state machine that is told facts and
/// makes decisions. Accepted tasks are settled exactly once, whatever the
/// workers do. It reads no clock, knows no threads and calls nothing but its
/// policies; so the actor, the simulator and the tests run the same.
///
/// A task is settled when its client can be answered. Its place in a worker's
/// window is free when its handler has ended: a worker that hangs gets nothing
/// more, and tasks that wait for it go elsewhere.
///
/// Load:    tasks that come back from a worker, or crashed one, keep their
///          number, and so their place before tasks that came after them.
/// Order:   decisions are to be carried out in the order in which they are
///          made.
/// Cost:    O(log tasks) per fact, besides what the policies need; a worker
///          that leaves or hangs costs that for each task of its own. Nothing
///          is allocated once `decisions` and the heaps of policies have grown,
///          but for a task that has to wait for particular workers: O(the
///          workers named). Where the order goes by flows, a worker that has
///          room costs O(flows of which tasks wait for it in particular).
/// Threads: one at a time.
/// Errors:  facts about tasks and workers that are not known change nothing.
class dispatcher {
public:
  dispatcher(composition how, const limits& within);

  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;

  /// @pre tasks and workers that it knows outlive it
  ~dispatcher() = default;

  /// Has each run noted from now on, by what outlives it; nullptr: no more.
  void record(recorder* by) noexcept {
    recorder_ = by;
  }

  // -- facts about workers ----------------------------------------------------

  /// Serves from now on.
  void joined(worker& worker, instant now);

  /// Is to get nothing more, and to be dismissed as soon as it has ended what
  /// it has begun.
  void retired(worker& worker, instant now);

  /// Is dead. A task that it has begun is settled when it is told to have
  /// finished.
  void left(worker& worker, instant now);

  /// Is to be sent nothing for a while, so that others have their turn.
  void paused(worker& worker, instant now);

  /// May be sent something again.
  void resumed(worker& worker, instant now);

  /// Takes nothing before `until`, or before it is told to have room: tasks
  /// that are bound to it, but not sent, wait for others.
  void rested(worker& worker, instant until, instant now);

  /// Takes tasks again, before its rest is over.
  void roomy(worker& worker, instant now);

  /// A worker that is a pool has another number of places from now on, in its
  /// window and as seats, and if that is 0 perhaps no workers to wait for.
  /// Tasks that it has been sent stay there.
  void resized(worker& worker, std::size_t places, bool has_nobody,
               instant now);

  /// Tasks of `where`, which is open, may run on these workers from now on, in
  /// ascending order; told of a worker before it joins.
  ///
  /// Cost: O(workers named).
  void changed(restriction& where, std::vector<worker_number> only);

  // -- facts about tasks ------------------------------------------------------

  /// A client wants `task` done. It was accepted at `came`, if that was
  /// earlier.
  void submitted(task& task, instant now, instant came);

  void submitted(task& task, instant now) {
    submitted(task, now, now);
  }

  /// A client wants `task` done, but the caller has a reason to refuse it.
  void refused(task& task, errc why);

  /// The handler has begun; told again if the worker had skipped the message.
  void started(task& task, instant now);

  /// The handler has ended; it has begun as well, if that was not told. One
  /// that was interrupted begins anew, and that does not count as a try.
  void finished(task& task, ending how, instant now);

  /// The worker of the task, which was just sent, may go on with that number of
  /// further tasks, which waited unknown to the dispatcher. They get the next
  /// numbers in recordings.
  void leads(task& task, std::size_t followers) noexcept {
    task.next_number = numbers_ + 1;
    numbers_ += followers;
  }

  /// The handler has ended well, and its worker has gone on with further tasks,
  /// which waited unknown to the dispatcher: these are the times of all that
  /// have ended, the first one included, in order. From now on `task` stands
  /// for the next one, of which `*last` says when it was accepted, and keeps
  /// the place that its own number gives it.
  /// @pre `may_go_on() > 0`; the task leads as many; none of the tasks has a
  /// deadline, or workers that
  ///      alone may run it, and none was cancelled
  void went_on(task& task, const run_times* first, const run_times* last);

  /// The task, which was just sent, stands for a message that was accepted at
  /// that time, since others of its flow are not known here.
  void stands_for(task& task, instant accepted) noexcept {
    task.accepted = accepted;
  }

  /// Came back without having started. If it had not been recalled, its worker
  /// is dead.
  void returned(task& task, instant now);

  /// Came back without having been handled, whether its worker had looked at it
  /// or not. The worker is as it was.
  void unhandled(task& task, instant now);

  /// Cannot be taken back from its worker, and has not begun. It is recalled
  /// once more if it is cancelled.
  void kept(task& task);

  /// The task, which waits, may run on these workers only. It is no task of an
  /// open restriction.
  void restricted(task& task, restriction& where);

  /// The task, which waits, waits in vain: it fails.
  void failed(task& task, errc why, instant now);

  /// The task is not wanted any more.
  void cancelled(task& task, errc why, instant now);

  // -- facts about the world --------------------------------------------------

  /// Time has passed.
  void ticked(instant now);

  /// Nothing more is to be accepted.
  void closed(errc why);

  /// No worker will come soon: waiting tasks fail.
  void deserted(errc why, instant now);

  /// No worker will ever come: waiting tasks fail, now and whenever one comes
  /// back. Tasks that are bound to workers that serve still go there.
  void abandoned(errc why, instant now);

  // -- questions --------------------------------------------------------------

  /// Binds and sends the tasks that can be bound and sent; cancels those that
  /// have passed their deadlines by now. Told apart from the facts, so that
  /// many of them can be followed by one dispatch.
  void dispatch(instant now);

  /// The same for one task that waits, where tasks are bound late. Returns it;
  /// nullptr if none can go.
  task* dispatch_next(instant now);

  /// When to tell the time, if ever.
  instant next_tick() const noexcept;

  /// Whether a new task would have to wait for one that is in a mailbox to end.
  bool is_saturated() const noexcept {
    return with_room_ == 0 && ledger_.sent + ledger_.running > 0;
  }

  /// Whether it would also have to wait for all that wait already, bound to no
  /// worker.
  bool is_busy() const noexcept {
    return takes_turns_ && is_saturated();
  }

  /// The same; or it would have to wait for a worker that pauses.
  bool is_busy_or_pauses() const noexcept {
    return is_busy() || (takes_turns_ && offered_ == 0 && pausing_ > 0);
  }

  /// For how long a worker that has ended a task may go on with messages of
  /// which no task was made, the next ones of all or of their flow, before any
  /// policy has to know: zero if at no time. Always the same answer.
  duration may_go_on() const noexcept {
    if (!is_late_ || measured_ || !policy_.placement->lets_workers_go_on())
      return duration{0};
    return policy_.order->may_go_on();
  }

  /// Whether flows may be full, so that a new task is refused at once.
  bool limits_flows() const noexcept {
    return policy_.order->has_limits();
  }

  /// The measure that is taken of tasks, if any.
  std::optional<measure> measures() const noexcept {
    return measured_;
  }

  /// Whether a task of the flow waits, where the order goes by flows.
  bool has_waiting(const flow_key& flow) const noexcept {
    return policy_.order->has_waiting(flow);
  }

  /// Whether the order goes by flows, and so by seats.
  bool has_flows() const noexcept {
    return has_flows_;
  }

  /// The statistics of the flows, at most so many. Costs O(flows).
  std::vector<flow_stats> flows(std::size_t most) const {
    return policy_.order->flows(most);
  }

  /// How many tasks were taken over by other workers than they were bound to.
  std::uint64_t steals() const noexcept {
    return steals_;
  }

  /// How many of the waiting tasks wait for particular workers.
  std::size_t held() const noexcept {
    return aside_.held();
  }

  /// Whether the policies go by the kinds of tasks.
  bool goes_by_kinds() const noexcept {
    return goes_by_kinds_;
  }

  /// How many tasks had a home that is no worker.
  std::uint64_t lost_homes() const noexcept {
    return lost_homes_;
  }

  /// Whether the policies go by the time.
  bool is_timed() const noexcept {
    return follows_starts_ || policy_.order->is_timed();
  }

  /// The decisions, to be carried out and cleared by the caller.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

  const ledger& books() const noexcept {
    return ledger_;
  }

  const pool_record& record() const noexcept {
    return record_;
  }

  /// How many of the workers that serve have something in their mailboxes.
  std::size_t busy() const noexcept {
    return busy_;
  }

  /// How many tasks are settled, but their handlers still run.
  std::uint64_t overdue() const noexcept {
    return overdue_;
  }

  /// The task that was accepted first of those that are not sent; nullptr if
  /// all are.
  const task* oldest_unsent() const noexcept {
    return ages_.oldest_unsent();
  }

  /// The tasks in mailboxes, in the order in which they were sent.
  const tasks_by_time& sent() const noexcept {
    return ages_.sent();
  }

  std::vector<task*> first_sent(std::size_t most) {
    return ages_.first_sent(most);
  }

  /// Calls `visit` with each task that is not settled, or whose handler still
  /// runs, those in mailboxes first, until it returns false.
  template <class Visitor>
  void for_each_open(Visitor visit) const {
    ages_.for_each(visit);
  }

private:
  /// How a handler has run.
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

  /// The worker that gets a task, and whether the placement says so; or whether
  /// no worker gets it although one is there that may run it.
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
  std::optional<measure> measured_; // as the placement asks for
  bool follows_starts_ = false;     // whether a policy wants to know of them
  bool is_late_ = false;            // binds when some worker has room
  bool takes_turns_ = false; // does that in the order in which tasks come
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
  std::size_t idle_ = 0; // how many workers are, where stealing is on
  std::uint64_t steals_ = 0;
  std::uint64_t lost_homes_ = 0;
  std::uint64_t numbers_ = 0;    // of tasks, as many as were given
  worker_number next_number_{0}; // after the numbers of all that have joined
  seat_book seats_;
  waiting_room aside_; // tasks that cannot go for now
  std::vector<worker*> candidates_;

  std::size_t offered_ = 0;   // how many workers are
  std::size_t with_room_ = 0; // how many of them could be sent something
  std::size_t pausing_ = 0;   // how many of those that serve do
  std::size_t busy_ = 0;      // how many of them have something in the mailbox
  std::uint64_t overdue_ = 0; // how many tasks are
  std::uint64_t unknown_ = 0; // of no meaning
  /// How many tasks are in each condition.
  const std::array<std::uint64_t*, 6> counts_{
    &unknown_,     &ledger_.waiting, &ledger_.assigned,
    &ledger_.sent, &ledger_.running, &overdue_};
  std::uint64_t choices_ = 0;
  std::optional<errc> closed_;
  std::optional<errc> abandoned_;
};

} // namespace libpool
