#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

struct flow_gate;
struct joint_run;
struct restriction;
struct task;
struct worker;

/// Base class of the data that the owner of a dispatcher keeps for some tasks.
struct LIBPOOL_EXPORT owner_notes {
  owner_notes() = default;
  owner_notes(const owner_notes&) = delete;
  owner_notes& operator=(const owner_notes&) = delete;
  virtual ~owner_notes() = default;
};

/// What only some tasks need, because an option or the policy asks for it, or
/// because they were tried before. Most of it is set before the task is
/// submitted.
struct LIBPOOL_EXPORT task_notes {
  // -- set before the task is submitted ---------------------------------------

  /// Number of seats (places for tasks) that the task needs, at least 1;
  /// default: 1.
  std::size_t width = 1;
  /// Priority, used only by policies with priorities; the task with the higher
  /// priority goes first.
  std::int64_t priority = 0;
  /// Set of the workers that may run the task; nullptr: all workers.
  restriction* where = nullptr;
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
  /// Time to copy the data of the task from its home, the worker that has the
  /// data, to another worker, at least 0; default: 0. Used for workers for
  /// which `moves` has no time.
  duration move{0};
  /// Times to copy the data of the task to each worker, indexed by worker
  /// number; nullptr: `move` is the time for all workers.
  const std::vector<duration>* moves = nullptr;
  /// Task whose handler waits for this task, a task of the same pool at one of
  /// its workers; nullptr: none, or unknown. The dispatcher forgets it when
  /// either task has ended.
  task* asker = nullptr;
  /// Worker of which some task, unknown which, waits for this task; nullptr:
  /// none. Used if `asker` is nullptr. The dispatcher forgets it when the task
  /// has ended, or the worker has left.
  worker* asking = nullptr;
  /// Name of the larger request that the task belongs to, for traces; nullptr:
  /// none.
  const std::string* trace = nullptr;
  /// Name of the kind of the task, for recordings of runs; nullptr: unknown.
  const std::string* kind_name = nullptr;
  /// Number of the client in the recorder of the pool, see
  /// `recorder::client_number`; 0: unknown, or not used.
  std::uint32_t recorded_client = 0;
  /// Key of the run that the task may share with others, see `joint_runs`;
  /// unset: the task runs alone.
  std::optional<std::string> run_key;
  /// Size of the task in bytes, for `joint_rule::bytes`.
  std::size_t bytes = 0;
  /// Data of the owner about the task; nullptr: none so far. Kept for reuse.
  std::unique_ptr<owner_notes> owned;

  // -- kept by the dispatcher and the order -----------------------------------

  /// Number of tasks whose `asker` is this task, and that are not settled.
  std::uint32_t awaited = 0;
  /// Number of workers that crashed while they ran the task, and of nodes that
  /// were lost with the task.
  unsigned crashes = 0;
  /// Number of times that the handler answered with an error and the task was
  /// retried.
  unsigned errors = 0;
  /// Number of times that an idle worker took the task over from another
  /// worker.
  unsigned steals = 0;
  /// Time before which the waiting task is not retried; `never`: the task does
  /// not wait for a retry.
  instant not_before = never;
  /// Limits and counts of the flow of the task; nullptr: the flow has neither
  /// limits nor a pause.
  flow_gate* gate = nullptr;
  /// Run that the task shares with others, or may share; nullptr: none.
  joint_run* run = nullptr;
  /// Task whose run has settled this one; nullptr: the task has run itself, or
  /// has not run. Set just before the decision `end`, and valid until then.
  task* ran_with = nullptr;

  /// Sets all members to their defaults except for `owned`.
  void begin_anew() noexcept;

  /// The notes of a task without any.
  static const task_notes none;
};

} // namespace libpool
