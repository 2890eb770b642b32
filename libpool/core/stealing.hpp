#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <optional>

namespace libpool {

/// An assigned task, and the idle worker that takes the task over.
struct takeover {
  /// Task that is taken over from its worker.
  task* moved = nullptr;
  /// Worker that takes the task over.
  worker* thief = nullptr;
};

/// Part of a policy that chooses the task that an idle worker takes over from
/// another worker. Only tasks that are assigned and not sent can be taken over.
/// One of the three customisation points of the dispatcher; optional, and used
/// only with eager assignment.
///
/// Threads: one at a time.
class stealing {
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

  /// Called when the worker has left and has no tasks any more. If the worker
  /// was idle, `engaged` is called first.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// Called when the worker becomes idle: the worker has no tasks, and could
  /// begin a task at once.
  virtual void idled(worker& worker, instant now) noexcept = 0;

  /// Called when the worker is not idle any more: the worker has a task, or
  /// cannot get a task now.
  virtual void engaged(worker& worker, instant now) noexcept = 0;

  /// Called before the workers of an open restriction change.
  virtual void changing(const restriction&) noexcept {
    // nop
  }

  // -- facts about tasks ------------------------------------------------------

  /// Called when the task has entered the deque of the worker `task.on`.
  virtual void assigned(task& task, instant now) noexcept = 0;

  /// Called before the task leaves the deque of `task.on` because it is sent to
  /// that worker. Default: calls `unassigned`.
  virtual void sent(task& task, instant now) noexcept {
    unassigned(task, now);
  }

  /// Called before the task leaves the deque of `task.on` without being sent.
  virtual void unassigned(task& task, instant now) noexcept = 0;

  /// Called when the worker of the task begins it at `task.began`, or is
  /// presumed to begin it then. Called again if the worker has begun the task
  /// later than presumed.
  virtual void began(task&, instant) noexcept {
    // nop
  }

  /// Called when a task that was sent to a worker has ended or is taken back
  /// from the worker. The duration is the running time of the handler; none if
  /// the handler has not completed.
  virtual void ended(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// Called when the time that `next_tick` returned has come. The argument is
  /// the current time.
  virtual void ticked(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Whether there may be a task to take over. Default: true.
  virtual bool has_work() const noexcept {
    return true;
  }

  /// Returns the time at which `ticked` must be called; `never` if no call is
  /// needed.
  virtual instant next_tick() const noexcept {
    return never;
  }

  /// Returns an assigned task and the idle worker that should take the task
  /// over; none if no move is worthwhile. The worker must be permitted to run
  /// the task. Called again after each move until it returns none.
  virtual std::optional<takeover> choose(instant now) noexcept = 0;
};

} // namespace libpool
