#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Measure of the cost of a task. `service_time`: time from the start of the
/// handler to its end. `cpu_time`: processor time that the handler used.
/// `wait_time`: time from acceptance to start.
enum class measure : std::uint8_t { service_time, cpu_time, wait_time };

/// Part of a policy that chooses the worker of a task. One of the three
/// customisation points of the dispatcher.
///
/// The placement chooses among the workers that the dispatcher offers. With
/// eager assignment, these are all serving workers that have a window above 0,
/// do not hang and do not rest; with lazy assignment, the workers must also
/// have room and not pause.
///
/// Threads: one at a time.
class placement {
public:
  placement() = default;
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;
  virtual ~placement() = default;

  // -- facts ------------------------------------------------------------------

  /// Called once when the worker has joined, before the worker is offered.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// Called once when the worker has left and has no tasks any more, after the
  /// worker was withdrawn.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// Called when the worker may be chosen from now on.
  virtual void offered(worker& worker, instant now) noexcept = 0;

  /// Called when the worker must not be chosen any more. The worker may be
  /// offered again later.
  virtual void withdrawn(worker& worker, instant now) noexcept = 0;

  /// Called when the worker that was chosen last is about to get the task. Not
  /// called for tasks that go to their home or are stolen.
  virtual void picked(worker&, const task&, instant) noexcept {
    // nop
  }

  /// Called when the task was assigned to the worker. The task already counts
  /// as in flight at the worker, and the worker may already be withdrawn
  /// because of the task.
  virtual void assigned(worker& worker, task& task, instant now) noexcept = 0;

  /// Called when the worker begins the task, or is presumed to begin it. Called
  /// again if the worker has begun the task later than presumed. Called only if
  /// `measures` returns a measure.
  virtual void began(worker&, task&, instant) noexcept {
    // nop
  }

  /// Called when the handler of the task has ended on the worker. The duration
  /// is the cost of the task, by the measure that `measures` returns.
  /// `unassigned` is called next. Called only if `measures` returns a measure.
  virtual void measured(worker&, task&, ending, duration, instant) noexcept {
    // nop
  }

  /// Called when the worker does not have the task any more, whether or not the
  /// task has ended.
  virtual void unassigned(worker& worker, task& task, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// Returns the measure of the cost of tasks that the placement needs; none:
  /// costs are not measured. Constant.
  virtual std::optional<measure> measures() const noexcept {
    return std::nullopt;
  }

  /// Whether the placement uses the kinds of tasks or their estimates.
  /// Constant.
  virtual bool goes_by_kinds() const noexcept {
    return false;
  }

  /// Whether workers may get leases, whose further tasks are unknown to the
  /// placement. Should be true if a worker that has ended a task is as good a
  /// choice for the next task as any other worker. Constant.
  virtual bool lets_workers_go_on() const noexcept {
    return false;
  }

  /// Whether the task must run after all tasks of its key that were accepted
  /// earlier, even if the task has to wait for these tasks.
  virtual bool keeps_order(const task&) const noexcept {
    return false;
  }

  /// Whether the task must go to the worker that has other tasks of its key in
  /// flight, even if another worker is the home of the task.
  virtual bool is_tied(const task&) const noexcept {
    return false;
  }

  /// Returns one of the offered workers; nullptr if no offered worker suits the
  /// task. The task then waits until another worker is offered or a task is
  /// unassigned. Returns the same worker if called again before any fact,
  /// because only `picked` advances the turns of workers.
  virtual worker* choose(const task& task, instant now) noexcept = 0;

  /// Returns one of the workers `some`, for a task that only these workers may
  /// run or have room for; nullptr if none of them suits the task. `some` is
  /// sorted by the order in which the workers joined.
  /// @pre `some` is not empty, and all of its workers are offered
  virtual worker* choose_among(const std::vector<worker*>& some,
                               const task& task, instant now) noexcept = 0;
};

} // namespace libpool
