#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow_ref.hpp"
#include "libpool/core/inline_record.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/order_queue.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/task_notes.hpp"
#include "libpool/core/virtual_time.hpp"
#include "libpool/export.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace libpool {

struct worker;

/// What is known of a task after its assignment to a worker. Written by the
/// dispatcher, and by the policies where noted. After the end of the attempt,
/// it stays until the next attempt, or until the task is reused.
struct LIBPOOL_EXPORT attempt {
  /// Time at which the handler began, as policies use it: a presumed time until
  /// the worker reports the start; `never` if neither is known.
  instant began = never;
  /// Time at which the task was last assigned to a worker. Kept only if tasks
  /// at workers are limited.
  instant charged = instant::min();
  /// Time before the deadline at which the dispatcher looks at the task;
  /// `never`: no such time.
  instant check_at = never;
  /// Number of seats (places for tasks) of the pool that the task takes from
  /// the time when it is sent, or when its turn comes (`task::follows`), to its
  /// end; default: 1. Used only if the policy divides the pool among flows.
  std::size_t seats = 1;
  /// Number of seats (places for tasks) of its worker that the task takes from
  /// the time when it is sent, or when its turn comes (`task::follows`), to its
  /// end; default: 1. Used only if the policy divides the pool among flows.
  std::size_t seats_there = 1;
  /// Processor time that the handler used. Set before the end of the handler is
  /// reported by `dispatcher::finished`, if the policy needs processor times.
  duration cpu_time{0};
  /// Data that the placement, the policy's part that chooses workers, keeps for
  /// the task while a worker has it.
  inline_record<3> placed;
  /// Data of the work stealing policy about the task; nullptr: none, for
  /// example without work stealing.
  std::unique_ptr<stealing_record> booked;

  /// What is known of a task that no worker has got so far.
  static const attempt none;
};

/// What only some tasks need beside the members of `task`.
struct task_parts {
  /// The attempt at a worker.
  libpool::attempt attempt;
  /// Kind of the task; 0: none.
  std::uint64_t kind = 0;
  /// Notes, which are kept for reuse; nullptr: none so far.
  std::unique_ptr<task_notes> notes;
};

/// A task of a managed pool, as its `dispatcher` sees it. The submitter must
/// keep the task until the dispatcher makes the decision `release` about it.
/// The dispatcher writes the members; policies read them.
///
/// The members are what each task needs while it waits. With the message that
/// the owner adds, they are to fit into two cache lines. `attempt` has what a
/// task needs after its assignment to a worker, and `notes` what only some
/// tasks need.
struct LIBPOOL_EXPORT task {
  /// State of a task. `unknown`: not in the dispatcher. `waiting`: accepted,
  /// and not assigned to a worker. `assigned`: assigned to a worker, and not
  /// sent to it. `sent`: in the mailbox of the worker, not begun. `running`:
  /// the handler has begun. `overdue`: cancelled while the handler ran, and the
  /// handler still runs.
  enum class condition : std::uint8_t {
    unknown,
    waiting,
    assigned,
    sent,
    running,
    overdue,
  };

  /// Value of a slot for a task that is not in the heap.
  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  task() noexcept
    : is(condition::unknown),
      recalled(false),
      held(false),
      parked(false),
      unplaced(false),
      urgent(false),
      repeatable(true),
      is_alone(false),
      follows(false),
      has_arrived(false),
      was_held(false),
      has_attempt_(false),
      has_notes_(false),
      has_kind_(false) {
    // nop
  }

  task(const task&) = delete;
  task& operator=(const task&) = delete;

  // -- parts ------------------------------------------------------------------

  /// Returns what only some tasks need; default values if the task has no
  /// notes.
  const task_notes& notes() const noexcept {
    return has_notes_ ? *parts_->notes : task_notes::none;
  }

  /// Returns what only some tasks need, to be changed.
  task_notes& own_notes() {
    if (!has_notes_)
      make_notes();
    return *parts_->notes;
  }

  /// Whether the task has notes, so that `own_notes` makes none.
  bool has_notes() const noexcept {
    return has_notes_;
  }

  /// Returns what is known after the assignment to a worker; default values
  /// before the first assignment.
  const libpool::attempt& attempt() const noexcept {
    return has_attempt_ ? parts_->attempt : libpool::attempt::none;
  }

  /// Returns what is known after the assignment to a worker, to be changed.
  libpool::attempt& own_attempt() {
    if (!has_attempt_)
      make_attempt();
    return parts_->attempt;
  }

  /// Whether the task has an attempt, so that `own_attempt` makes none.
  bool has_attempt() const noexcept {
    return has_attempt_;
  }

  /// Sets the number of seats (places for tasks) that the task takes, of the
  /// pool to `seats` and of its worker to `seats_there`. A task that takes one
  /// seat of each needs no attempt for them.
  void take_seats(std::size_t seats, std::size_t seats_there) {
    const auto& before = attempt();
    if (before.seats == seats && before.seats_there == seats_there)
      return;
    auto& now = own_attempt();
    now.seats = seats;
    now.seats_there = seats_there;
  }

  /// Forgets the attempts, before the object is used for another task.
  void forget_attempt() noexcept {
    has_attempt_ = false;
  }

  /// Forgets the notes, before the object is used for another task.
  void forget_notes() noexcept {
    if (has_notes_)
      drop_notes();
  }

  /// Returns the number that identifies the kind of the task; default: 0. Tasks
  /// of one kind take about the same time, from which policies estimate their
  /// service times.
  std::uint64_t kind() const noexcept {
    return has_kind_ ? parts_->kind : 0;
  }

  /// Sets the number that identifies the kind of the task, for policies that
  /// use it.
  /// @pre the task was not submitted
  void set_kind(std::uint64_t kind) {
    if (parts_ == nullptr)
      make_parts();
    parts_->kind = kind;
    has_kind_ = true;
  }

  /// Forgets the kind, before the object is used for another task.
  void forget_kind() noexcept {
    has_kind_ = false;
  }

  // -- used while the task waits, kept by the dispatcher and the order --------

  /// Links of the task in a list: the mailbox of a worker, or a `task_line` of
  /// waiting tasks.
  boost::intrusive::list_member_hook<> list_hook;
  /// Number of the task in the order of acceptance, from 1.
  std::uint64_t number = 0;
  /// Time at which the pool accepted the task.
  instant accepted = never;
  /// Time by which the handler must have ended; later the task is cancelled.
  /// `never`: no deadline. Set before the task is submitted.
  instant deadline = never;
  /// Time at which the handler began; `never` if the handler has not begun.
  instant started = never;
  /// Flow of the task, such as its tenant; used only if the policy divides the
  /// pool among flows, or flows have limits. Set before the task is submitted.
  flow_ref flow;
  /// Virtual time, see `fair_queuing`, at which the task was accepted; used
  /// only if the policy divides the pool among flows.
  virtual_time virtual_arrival;
  /// Rank of the task, set by the policy on acceptance; the task with the
  /// higher rank goes first.
  std::int64_t rank = 0;
  /// Queue in which the policy keeps the task while it waits, or kept it before
  /// it went to a worker. Set by the policy; nullptr: the policy has one queue
  /// for all tasks.
  order_queue* queue = nullptr;
  /// Worker that the task is assigned to, or was sent to; nullptr: none.
  worker* on = nullptr;

private:
  std::unique_ptr<task_parts> parts_; // kept for reuse

public:
  /// Index of the task in a heap of waiting tasks, see `task_line`.
  std::uint32_t line_slot = in_no_heap;
  /// Index of the task in the heap of tasks that are due at a time.
  std::uint32_t due_slot = in_no_heap;
  /// Index of the task in the heap of tasks that wait or are assigned, or among
  /// the tasks that are in mailboxes of workers, see `pool_tasks`.
  std::uint32_t age_slot = in_no_heap;
  /// Reason why the task was cancelled while a worker had it; errc{} if the
  /// task was not cancelled, even if the worker was asked to give it back.
  errc cancel_reason{};
  /// State of the task.
  condition is : 3;
  /// Whether the worker was asked to give the task back before it has begun.
  bool recalled : 1;
  /// Whether the waiting task was set aside, because no worker can take it now.
  bool held : 1;
  /// Whether the waiting task was set aside, because its flow is paused or has
  /// reached its limits.
  bool parked : 1;
  /// Whether the task was set aside until any worker suits it, or until earlier
  /// tasks of its key have gone; false: it waits for particular workers.
  bool unplaced : 1;
  /// Whether the task goes before tasks that are not urgent. Set before the
  /// task is submitted.
  bool urgent : 1;
  /// Whether the task may be retried after it has crashed its worker or was
  /// lost with its node. Set before the task is submitted.
  bool repeatable : 1;
  /// Whether the task is never sent to a worker together with other tasks. Set
  /// before the task is submitted.
  bool is_alone : 1;
  /// Whether the task was sent to its worker together with the task before it
  /// in the mailbox of the worker, which has not come back.
  bool follows : 1;
  /// Whether `virtual_arrival` is set.
  bool has_arrived : 1;
  /// Whether the task was held back since it was accepted, because limits,
  /// pauses or restrictions did not let it go.
  bool was_held : 1;

private:
  bool has_attempt_ : 1;
  bool has_notes_ : 1;
  bool has_kind_ : 1;

  void make_parts();
  void make_attempt();
  void make_notes();
  void drop_notes() noexcept;
};

static_assert(sizeof(task) <= 112); // two cache lines with a message

/// Returns the number of attempts at the task that have failed: it has crashed,
/// was lost with its node, or was answered with an error.
inline unsigned attempts_at(const task& task) noexcept {
  const auto& notes = task.notes();
  return notes.crashes + notes.errors;
}

/// Whether the task, which waits or is at a worker, has its second or a later
/// attempt.
inline bool is_retry(const task& task) noexcept {
  return attempts_at(task) > 0;
}

/// Whether the waiting task was set aside, because no worker can take it now.
inline bool is_held(const task& task) noexcept {
  return task.held;
}

/// Whether a worker of the pool waits for the task.
inline bool is_asked_for(const task& task) noexcept {
  const auto& notes = task.notes();
  return notes.asker != nullptr || notes.asking != nullptr;
}

/// Returns the time to copy the data of the task to `worker`; zero if that
/// worker is the home of the task, and so has the data.
LIBPOOL_EXPORT duration move_to(const task& task,
                                worker_number worker) noexcept;

/// Returns the longest time to copy the data of the task to any worker.
LIBPOOL_EXPORT duration dearest_move(const task& task) noexcept;

/// Compares tasks by rank, the highest first; tasks of equal rank by number,
/// the task that was accepted first.
struct goes_before {
  /// Whether `x` has the higher rank or, if the ranks are equal, was accepted
  /// before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.rank != y.rank ? x.rank > y.rank : x.number < y.number;
  }
};

/// List of tasks, such as the mailbox of a worker.
using task_list = boost::intrusive::list<
  task, boost::intrusive::member_hook<
          task, boost::intrusive::list_member_hook<>, &task::list_hook>>;

} // namespace libpool
