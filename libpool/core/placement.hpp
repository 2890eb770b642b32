#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/measure.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/export.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Part of a policy that chooses the worker of a task. One of the three
/// customisation points of the dispatcher, besides `order` and `stealing`.
///
/// The placement chooses among the workers for which `offered` was called, and
/// not `withdrawn` since then. With eager assignment, these are the serving
/// workers with a window above 0 that do not run a task past its deadline, and
/// are not kept from tasks for some time after a crash. With lazy assignment,
/// they must also have room for a task, and not pause for other workers.
///
/// Threads: one at a time.
class LIBPOOL_EXPORT placement {
public:
  placement() = default;
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;
  virtual ~placement() = default;

  // -- facts ------------------------------------------------------------------

  /// Called once when the worker has joined the pool. The worker can be chosen
  /// only after `offered` was called. Default: does nothing.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// Called once when the worker has left the pool and has no tasks any more.
  /// `withdrawn` was called before. Default: does nothing.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// Called when the placement may choose the worker from now on.
  virtual void offered(worker& worker, instant now) noexcept = 0;

  /// Called when the placement must not choose the worker any more, until
  /// `offered` is called again.
  virtual void withdrawn(worker& worker, instant now) noexcept = 0;

  /// Called when the worker that was chosen last is about to get the task. Not
  /// called for tasks that go to the worker with their data (`task::home`), or
  /// that an idle worker takes over. With lazy assignment, not called for tasks
  /// that are sent together with an earlier task (`lets_workers_go_on`).
  virtual void picked(worker&, const task&, instant) noexcept {
    // nop
  }

  /// Called when the task was assigned to the worker. `worker.in_flight`
  /// already includes the task, and `withdrawn` may already have been called,
  /// because the worker has no room for a further task.
  virtual void assigned(worker& worker, task& task, instant now) noexcept = 0;

  /// Called when the worker begins the task, or is presumed to begin it because
  /// its earlier tasks have ended. Called again if the worker has begun the
  /// task later than presumed. Called only if `measures` returns a measure.
  virtual void began(worker&, task&, instant) noexcept {
    // nop
  }

  /// Called when the handler of the task has ended on the worker, before
  /// `unassigned`. The duration is the cost of the task: its service time,
  /// processor time or waiting time, as `measures` requests. Not called if
  /// `measures` returns none.
  virtual void measured(worker&, task&, ending, duration, instant) noexcept {
    // nop
  }

  /// Called when the weight of the worker, which has joined, has changed from
  /// the given one. Returns false if the placement has no weights. Default:
  /// returns false.
  virtual bool reweighed(worker&, duration) noexcept {
    return false;
  }

  /// Called when the worker does not have the task any more, because the task
  /// has ended, or because it was taken from the worker. If
  /// `worker.ends_follow` is true, the end of another task of the worker is
  /// told next, so that the worker need not be sorted yet.
  virtual void unassigned(worker& worker, task& task, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// Returns the measure of the cost of tasks that the placement needs to
  /// choose workers: service time, processor time or waiting time. None: costs
  /// are not measured. Constant.
  virtual std::optional<measure> measures() const noexcept {
    return std::nullopt;
  }

  /// Whether the placement uses `task::kind` or `task::estimate`, for example
  /// to compare the expected work of workers. Constant.
  virtual bool goes_by_kinds() const noexcept {
    return false;
  }

  /// With lazy assignment: whether further tasks may be sent to a worker
  /// together with a task. The placement does not choose the worker of these
  /// tasks. Should be true if a worker that has ended a task is as good a
  /// choice for the next task as any other worker. Constant.
  virtual bool lets_workers_go_on() const noexcept {
    return false;
  }

  /// Whether the task must run after all tasks with the same key (`task::key`)
  /// that were accepted earlier, even if the task has to wait for these tasks.
  virtual bool keeps_order(const task&) const noexcept {
    return false;
  }

  /// Whether the task must go to the worker that has other tasks with the same
  /// key in flight, even if `task::home` names another worker.
  virtual bool is_tied(const task&) const noexcept {
    return false;
  }

  /// Returns the worker for the task, one of the offered workers (see
  /// `offered`); nullptr if none of them suits the task. The task then waits
  /// until another worker is offered, or a worker has one task less. If called
  /// again before any other function, returns the same worker: only `picked`
  /// ends a worker's turn.
  virtual worker* choose(const task& task, instant now) noexcept = 0;

  /// Returns the worker for the task, one of the workers `some`: only these
  /// workers may run the task and have room for it. Returns nullptr if none of
  /// them suits the task. `some` is sorted by the order in which the workers
  /// joined.
  /// @pre `some` is not empty, and the placement may choose all of its workers
  virtual worker* choose_among(const std::vector<worker*>& some,
                               const task& task, instant now) noexcept = 0;
};

} // namespace libpool
