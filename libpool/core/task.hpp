#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/inline_record.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/order_queue.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

struct flow_gate;
struct restriction;
struct worker;

/// A task of a managed pool, as its `dispatcher` sees it. The submitter must
/// keep the task until the dispatcher makes the decision `release` about it.
/// The dispatcher writes the members; policies read them.
struct task {
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

  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;

  // Members are grouped by use, to save cache misses while many tasks wait:
  // members for orders and deques take one or two cache lines, and members that
  // every task needs take two more.

  // -- used while the task waits, kept by the dispatcher and the order --------

  /// Links of the task in a sorted set: the tasks of a worker that were not
  /// sent, the waiting tasks of a policy, or the tasks that no worker can take
  /// now.
  boost::intrusive::set_member_hook<> place_hook;
  /// Number of the task in the order of acceptance, from 1.
  std::uint64_t number = 0;
  /// Number of the task in recordings of runs: `number`, unless several
  /// messages were sent to the worker together, and the object stands for a
  /// later one of them. The place among waiting tasks always depends on
  /// `number`.
  std::uint64_t known_as = 0;
  /// Number in recordings of runs for the next message, if several messages
  /// were sent to the worker together with the task.
  std::uint64_t next_number = 0;
  /// Rank of the task, set by the policy on acceptance; the task with the
  /// higher rank goes first.
  std::int64_t rank = 0;
  /// Queue in which the policy keeps the task while it waits, or kept it before
  /// it went to a worker. Set by the policy; nullptr: the policy has one queue
  /// for all tasks.
  order_queue* queue = nullptr;
  /// Data that the order, the policy's part that chooses the next task, keeps
  /// for the task from its acceptance on.
  inline_record<1> ordered;
  /// Number of seats (places for tasks) of the pool that the task takes from
  /// the time when it is sent to its end. Used only if the policy divides the
  /// pool among flows.
  std::size_t seats = 0;
  /// Number of seats (places for tasks) of its worker that the task takes from
  /// the time when it is sent to its end. Used only if the policy divides the
  /// pool among flows.
  std::size_t seats_there = 0;
  /// Time at which the pool accepted the task.
  instant accepted = never;
  /// Time at which the handler began; `never` if the handler has not begun.
  instant started = never;
  /// Number of seats (places for tasks) that the task needs, at least 1;
  /// default: 1. Set before the task is submitted.
  std::size_t width = 1;
  /// Flow of the task, such as its tenant; used only if the policy divides the
  /// pool among flows. Set before the task is submitted.
  flow_key flow;

  // -- used when the task is sent, kept by the dispatcher ---------------------

  /// Links of the task in a list: the mailbox of a worker, or the waiting tasks
  /// of a policy that does not sort them.
  boost::intrusive::list_member_hook<> list_hook;
  /// State of the task.
  condition is = condition::unknown;
  /// Whether the worker was asked to give the task back before it has begun.
  bool recalled = false;
  /// Whether the waiting task was set aside, because no worker can take it now.
  bool held = false;
  /// Whether the waiting task was set aside, because its flow is paused or has
  /// reached its limits.
  bool parked = false;
  /// Whether the task was set aside until any worker suits it, or until earlier
  /// tasks of its key have gone; false: it waits for particular workers.
  bool unplaced = false;
  /// Reason why the task was cancelled while a worker had it; errc{} if the
  /// task was not cancelled, even if the worker was asked to give it back.
  errc unwanted{};
  /// Worker that the task is assigned to, or was sent to; nullptr: none.
  worker* on = nullptr;
  /// Number of workers that crashed while they ran the task, and of nodes that
  /// were lost with the task.
  unsigned crashes = 0;
  /// Number of times that the handler answered with an error and the task was
  /// retried.
  unsigned errors = 0;
  /// Time before which the waiting task is not retried; `never`: the task does
  /// not wait for a retry.
  instant not_before = never;
  /// Number of times that an idle worker took the task over from another
  /// worker.
  unsigned steals = 0;
  /// Time at which the handler began, as policies use it: a presumed time until
  /// the worker reports the start; `never` if neither is known.
  instant began = never;
  /// Data of the work stealing policy about the task; nullptr: none, for
  /// example without work stealing.
  std::unique_ptr<stealing_record> booked;

  // -- set before the task is submitted ---------------------------------------

  /// Time by which the handler must have ended; later the task is cancelled.
  /// `never`: no deadline.
  instant deadline = never;
  /// Task whose handler waits for this task, a task of the same pool at one of
  /// its workers; nullptr: none, or unknown. The dispatcher forgets it when
  /// either task has ended.
  task* asker = nullptr;
  /// Worker of which some task, unknown which, waits for this task; nullptr:
  /// none. Used if `asker` is nullptr. The dispatcher forgets it when the task
  /// has ended, or the worker has left.
  worker* asking = nullptr;
  /// Set of the workers that may run the task; nullptr: all workers.
  restriction* where = nullptr;
  /// Whether the task goes before tasks that are not urgent.
  bool urgent = false;
  /// Whether the task may be retried after it has crashed its worker or was
  /// lost with its node.
  bool repeatable = true;

  // -- kept by the dispatcher and the placement -------------------------------

  /// Links of the task in the set of tasks that are due at a time.
  boost::intrusive::set_member_hook<> due_hook;
  /// Data that the placement, the policy's part that chooses workers, keeps for
  /// the task while a worker has it.
  inline_record<3> placed;

  /// Limits and counts of the flow of the task; nullptr: the flow has neither
  /// limits nor a pause.
  flow_gate* gate = nullptr;
  /// Time at which the task was last assigned to a worker. Kept only if tasks
  /// at workers are limited.
  instant charged = instant::min();
  /// Time at which the dispatcher looks at the task: its deadline, or an
  /// earlier time at which its handler may reach the time limit, or at which
  /// the task may become hopeless. `never`: no such time.
  instant due = never;
  /// Time before the deadline at which the dispatcher looks at the task;
  /// `never`: no such time.
  instant check_at = never;
  /// Number of tasks whose `asker` is this task, and that are not settled.
  std::uint32_t awaited = 0;

  // -- set before the task is submitted, for some policies --------------------

  /// Home of the task: number of the worker that has its data; none: no such
  /// worker. With eager assignment, the task goes to its home if that worker
  /// can get tasks, and if `where` and the policy permit it.
  std::optional<worker_number> home;
  /// Key of the data that the task uses, for policies that send tasks with
  /// equal keys to the same worker; none: no key.
  std::optional<std::uint64_t> key;
  /// Estimated time from the start of the handler to its end; none: estimated
  /// from other tasks of the same kind.
  std::optional<duration> estimate;
  /// Number that identifies the kind of the task. Tasks of one kind take about
  /// the same time, from which policies estimate their service times.
  std::uint64_t kind = 0;
  /// Time to copy the data of the task from its home, the worker that has the
  /// data, to another worker, at least 0; default: 0. Used for workers for
  /// which `moves` has no time.
  duration move{0};
  /// Times to copy the data of the task to each worker, indexed by worker
  /// number; nullptr: `move` is the time for all workers.
  const std::vector<duration>* moves = nullptr;
  /// Name of the larger request that the task belongs to, for traces; nullptr:
  /// none.
  const std::string* trace = nullptr;
  /// Name of the kind of the task, for recordings of runs; nullptr: unknown.
  const std::string* kind_name = nullptr;
  /// Number of the client in the recorder of the pool, see
  /// `recorder::client_number`; 0: unknown, or not used.
  std::uint32_t recorded_client = 0;
  /// Priority, used only by policies with priorities; the task with the higher
  /// priority goes first.
  std::int64_t priority = 0;
  /// Processor time that the handler used. Set before the end of the handler is
  /// reported by `dispatcher::finished`, if the policy needs processor times.
  duration cpu_time{0};

  /// Links of the task in the list of tasks that were never sent to a worker,
  /// or in the list of tasks that are in mailboxes of workers.
  boost::intrusive::list_member_hook<> time_hook;
  /// Links of the task in the set of tasks that have come back from a worker
  /// and were not sent again.
  boost::intrusive::set_member_hook<> age_hook;
};

/// Whether the task, which waits or is at a worker, has its second or a later
/// attempt: it has crashed, was lost with its node, or was answered with an
/// error.
inline bool is_retry(const task& task) noexcept {
  return task.crashes + task.errors > 0;
}

/// Whether a worker of the pool waits for the task.
inline bool is_asked_for(const task& task) noexcept {
  return task.asker != nullptr || task.asking != nullptr;
}

/// Returns the time to copy the data of the task to the worker `to`; zero if
/// that worker is the home of the task, and so has the data.
inline duration move_to(const task& task, worker_number to) noexcept {
  if (task.home && *task.home == to)
    return duration{0};
  if (task.moves == nullptr)
    return task.move;
  auto i = static_cast<std::size_t>(to);
  return i < task.moves->size() ? (*task.moves)[i] : task.move;
}

/// Returns the longest time to copy the data of the task to any worker.
inline duration dearest_move(const task& task) noexcept {
  auto result = task.move;
  if (task.moves != nullptr)
    for (auto each : *task.moves)
      result = std::max(result, each);
  return result;
}

/// Compares tasks by rank, the highest first; tasks of equal rank by number,
/// the task that was accepted first.
struct goes_before {
  /// Whether `x` has the higher rank or, if the ranks are equal, was accepted
  /// before `y`.
  bool operator()(const task& x, const task& y) const noexcept {
    return x.rank != y.rank ? x.rank > y.rank : x.number < y.number;
  }
};

/// Set of tasks, sorted by rank and by order of acceptance; the first task goes
/// next.
///
/// Cost: O(log size) to add, mostly O(1) at the end; O(1) to remove.
using task_set = boost::intrusive::set<
  task, boost::intrusive::compare<goes_before>,
  boost::intrusive::member_hook<task, boost::intrusive::set_member_hook<>,
                                &task::place_hook>>;

/// List of tasks, such as the mailbox of a worker.
using task_list = boost::intrusive::list<
  task, boost::intrusive::member_hook<
          task, boost::intrusive::list_member_hook<>, &task::list_hook>>;

} // namespace libpool
