#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <optional>

namespace libpool {

/// A task that is bound to one worker, and the one that takes it over.
struct takeover {
  task* moved = nullptr;
  worker* thief = nullptr;
};

/// Which task that is bound to a worker, but not sent, moves to which other
/// one? One of the three seams of the dispatcher; a pool does without it unless
/// tasks are bound early. Facts that need not be known may be ignored.
///
/// Threads: one at a time.
class stealing {
public:
  stealing() = default;
  stealing(const stealing&) = delete;
  stealing& operator=(const stealing&) = delete;
  virtual ~stealing() = default;

  // -- facts about workers ----------------------------------------------------

  /// Is there from now on; told before anything is bound to it.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// Is gone, with nothing that was bound to it; told after `engaged`, if it
  /// was idle.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// Has nothing in flight from now on, and could begin with a task at once.
  virtual void idled(worker& worker, instant now) noexcept = 0;

  /// Is idle no more: it has a task, or is to get none for now.
  virtual void engaged(worker& worker, instant now) noexcept = 0;

  /// The restriction, which is open, is about to name other workers.
  virtual void changing(const restriction&) noexcept {
    // nop
  }

  // -- facts about tasks ------------------------------------------------------

  /// Waits in the deque of `task.on` from now on.
  virtual void assigned(task& task, instant now) noexcept = 0;

  /// Is about to leave that deque: to be sent to the same worker.
  virtual void sent(task& task, instant now) noexcept {
    unassigned(task, now);
  }

  /// Is about to leave that deque, for another one or for good.
  virtual void unassigned(task& task, instant now) noexcept = 0;

  /// Its worker begins with it at `task.began`, as far as is known: told again
  /// when it turns out to have begun later.
  virtual void began(task&, instant) noexcept {
    // nop
  }

  /// Is about to leave its worker after it was sent; it took so long if its
  /// handler has completed.
  virtual void ended(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// It is that late now.
  virtual void ticked(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Whether there is anything at all that might be stolen.
  virtual bool has_work() const noexcept {
    return true;
  }

  /// When to tell the time, if ever.
  virtual instant next_tick() const noexcept {
    return never;
  }

  /// An assigned task that is to move, and an idle worker that may run it and
  /// takes it over; none if nothing is worth it. Asked again after each move,
  /// until there is none.
  virtual std::optional<takeover> choose(instant now) noexcept = 0;
};

} // namespace libpool
