#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/export.hpp"

#include <optional>

namespace libpool {

/// A task that is assigned to one worker and not sent, and the idle worker that
/// should take it over.
struct takeover {
  /// Task that the idle worker takes over from its present worker.
  task* moved = nullptr;
  /// Idle worker that gets the task.
  worker* thief = nullptr;
};

/// Part of a policy that chooses tasks for idle workers to take over from other
/// workers. Only tasks that are assigned to a worker and not sent can be taken
/// over. One of the three customisation points of the dispatcher, besides
/// `order` and `placement`; optional, and used only if workers are chosen when
/// tasks arrive (eager assignment).
///
/// Threads: one at a time.
class LIBPOOL_EXPORT stealing {
public:
  stealing() = default;
  stealing(const stealing&) = delete;
  stealing& operator=(const stealing&) = delete;
  virtual ~stealing() = default;

  // -- facts about workers ----------------------------------------------------

  /// Called when the worker has joined, before any task is assigned to the
  /// worker.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// Called when the worker has left the pool and has no tasks any more. If the
  /// worker was idle, `engaged` was called before. Default: does nothing.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// Called when the worker becomes idle: the worker has no tasks, and could
  /// begin a task at once.
  virtual void idled(worker& worker, instant now) noexcept = 0;

  /// Called when the worker is not idle any more: the worker has a task, or
  /// cannot get a task now.
  virtual void engaged(worker& worker, instant now) noexcept = 0;

  /// Called before the set of workers that may run the tasks of the restriction
  /// is changed. Default: does nothing.
  virtual void changing(const restriction&) noexcept {
    // nop
  }

  // -- facts about tasks ------------------------------------------------------

  /// Called when the task was added to the deque of the worker `task.on`, the
  /// tasks that are assigned to the worker and not sent.
  virtual void assigned(task& task, instant now) noexcept = 0;

  /// Called before the task leaves the deque of the worker `task.on` (the tasks
  /// that are assigned and not sent), because it is sent to that worker.
  /// Default: calls `unassigned`.
  virtual void sent(task& task, instant now) noexcept {
    unassigned(task, now);
  }

  /// Called before the task leaves the deque of the worker `task.on` (the tasks
  /// that are assigned and not sent) without being sent, for example because an
  /// idle worker takes it over.
  virtual void unassigned(task& task, instant now) noexcept = 0;

  /// Called when the worker begins the task, or is presumed to begin it because
  /// its earlier tasks have ended. `task.began` is the time. Called again if
  /// the worker has begun the task later than presumed. Default: does nothing.
  virtual void began(task&, instant) noexcept {
    // nop
  }

  /// Called when a task that was sent to a worker has ended, or has come back
  /// from the worker. The duration is the time that the handler ran; none if
  /// the handler has not completed. Default: does nothing.
  virtual void ended(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// Called when the time that `next_tick` returned has come. The argument is
  /// the current time. Default: does nothing.
  virtual void ticked(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Whether there may be a task that an idle worker could take over. Default:
  /// true.
  virtual bool has_work() const noexcept {
    return true;
  }

  /// Returns the time at which `ticked` must be called, because a task may then
  /// be worth taking over; `never`, the default, if no call is needed.
  virtual instant next_tick() const noexcept {
    return never;
  }

  /// Returns the task that should be taken over next, and the idle worker that
  /// should get it; none if no takeover is worthwhile. The task must be
  /// assigned and not sent, and the worker permitted to run it. After each
  /// takeover, called again until the result is none.
  virtual std::optional<takeover> choose(instant now) noexcept = 0;
};

} // namespace libpool
