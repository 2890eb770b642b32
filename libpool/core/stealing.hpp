#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <optional>

namespace libpool {

/// A task that is assigned to a worker, and the worker that takes it over.
struct takeover {
  /// Task that is taken over.
  task* moved = nullptr;
  /// Worker that takes the task over.
  worker* thief = nullptr;
};

/// Chooses the task that an idle worker takes over from another worker. Only
/// tasks that are assigned and not sent can be taken over. This is one of the
/// three customisation points of the dispatcher; it is optional, and used only
/// with eager assignment. A derived class need not override the functions that
/// do nothing by default.
///
/// Threads: one at a time.
class stealing {
public:
  stealing() = default;
  stealing(const stealing&) = delete;
  stealing& operator=(const stealing&) = delete;
  virtual ~stealing() = default;

  // -- facts about workers ----------------------------------------------------

  /// The worker has joined. Told before any task is assigned to it.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// The worker is gone, and no task is assigned to it. Told after `engaged` if
  /// the worker was idle.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// The worker is idle from now on: it has nothing in flight, and could begin
  /// a task at once.
  virtual void idled(worker& worker, instant now) noexcept = 0;

  /// The worker is not idle any more: it has a task, or gets none for now.
  virtual void engaged(worker& worker, instant now) noexcept = 0;

  /// The restriction, which is open, is about to name other workers.
  virtual void changing(const restriction&) noexcept {
    // nop
  }

  // -- facts about tasks ------------------------------------------------------

  /// The task waits in the deque of `task.on` from now on.
  virtual void assigned(task& task, instant now) noexcept = 0;

  /// The task is about to leave the deque of `task.on`, since it is sent to
  /// that worker. Default: `unassigned`.
  virtual void sent(task& task, instant now) noexcept {
    unassigned(task, now);
  }

  /// The task is about to leave the deque of `task.on` without being sent.
  virtual void unassigned(task& task, instant now) noexcept = 0;

  /// The worker of the task begins it at `task.began`, as far as is known. Told
  /// again if it turns out that the worker began the task later.
  virtual void began(task&, instant) noexcept {
    // nop
  }

  /// The task was sent, and is about to leave its worker. The duration is the
  /// time that its handler took; none unless the handler has completed.
  virtual void ended(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// The time of `next_tick` has come; the argument is the current time.
  virtual void ticked(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Whether there is any task that might be stolen.
  virtual bool has_work() const noexcept {
    return true;
  }

  /// Returns when `ticked` has to be called; `never` if not at all.
  virtual instant next_tick() const noexcept {
    return never;
  }

  /// Returns an assigned task that is to move, and an idle worker that may run
  /// it and takes it over; none if no move is worthwhile. Called again after
  /// each move, until it returns none.
  virtual std::optional<takeover> choose(instant now) noexcept = 0;
};

} // namespace libpool
