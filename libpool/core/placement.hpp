#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The measure of the cost of a task: the time from the start of its handler to
/// the end, the processor time that the handler used, or the time from
/// acceptance to start.
enum class measure : std::uint8_t { service_time, cpu_time, wait_time };

/// Chooses the worker of a task. One of the three customisation points of the
/// dispatcher, which offers the workers that can take a task. With eager
/// assignment, these are all serving workers that do not hang or rest; with
/// lazy assignment, those of them that have room and do not pause.
///
/// Threads: one at a time.
class placement {
public:
  placement() = default;
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;
  virtual ~placement() = default;

  // -- facts ------------------------------------------------------------------

  /// The worker has joined. Told once, before the worker is offered.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// The worker is gone, with all its tasks. Told once, after the worker was
  /// withdrawn.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// The worker may be chosen from now on.
  virtual void offered(worker& worker, instant now) noexcept = 0;

  /// The worker must not be chosen until it is offered again, if ever.
  virtual void withdrawn(worker& worker, instant now) noexcept = 0;

  /// The worker was chosen last, and is about to be given the task. Not told of
  /// tasks that go home or are stolen.
  virtual void picked(worker&, const task&, instant) noexcept {
    // nop
  }

  /// The worker was given the task, which already counts as in flight there.
  /// The worker may already be withdrawn for that reason.
  virtual void assigned(worker& worker, task& task, instant now) noexcept = 0;

  /// The worker begins the task, as far as is known. Told again if it turns out
  /// that the worker began the task later. Told only if something is measured.
  virtual void began(worker&, task&, instant) noexcept {
    // nop
  }

  /// The worker has ended the task, at this cost; `unassigned` follows. Told
  /// only if something is measured.
  virtual void measured(worker&, task&, ending, duration, instant) noexcept {
    // nop
  }

  /// The worker does not have the task any more, whether or not the task has
  /// ended.
  virtual void unassigned(worker& worker, task& task, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// Returns the measure that the placement needs; none: no measure. Constant.
  virtual std::optional<measure> measures() const noexcept {
    return std::nullopt;
  }

  /// Whether the placement uses the kinds of tasks, or their estimates.
  /// Constant.
  virtual bool goes_by_kinds() const noexcept {
    return false;
  }

  /// Whether a worker that has ended a task may go on with the next task in the
  /// order, without any fact about these tasks being told. True if the
  /// placement would choose this worker as well as any other. Constant.
  virtual bool lets_workers_go_on() const noexcept {
    return false;
  }

  /// Whether the task must go after all tasks of its key that were accepted
  /// before it, even if it has to wait for this.
  virtual bool keeps_order(const task&) const noexcept {
    return false;
  }

  /// Whether the task must go to the worker that has other tasks of its key in
  /// flight, even if its home is another worker.
  virtual bool is_tied(const task&) const noexcept {
    return false;
  }

  /// Returns one of the offered workers; nullptr if none of them suits the
  /// task, which then waits until another worker is offered or a task is
  /// unassigned. The turns of workers change only when the answer is `picked`:
  /// if called again before any fact, returns the same worker.
  virtual worker* choose(const task& task, instant now) noexcept = 0;

  /// Returns one of `some`, for a task that only these workers may run or have
  /// room for; nullptr if none of them suits the task. `some` are in the order
  /// in which they joined.
  /// @pre `some` is not empty, and all of its workers are offered
  virtual worker* choose_among(const std::vector<worker*>& some,
                               const task& task, instant now) noexcept = 0;
};

} // namespace libpool
