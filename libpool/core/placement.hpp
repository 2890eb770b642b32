#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The measure of a task's cost: the time from the start of its handler to its
/// end, the processor time that the handler used, or the time from its
/// acceptance to its start.
enum class measure : std::uint8_t { service_time, cpu_time, wait_time };

/// Which worker gets a task? One of the three seams of the dispatcher, which
/// offers the workers that can take a task: all that serve where tasks are
/// bound eagerly, workers with room in their windows where they are bound
/// lazily.
///
/// Threads: one at a time.
class placement {
public:
  placement() = default;
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;
  virtual ~placement() = default;

  // -- facts ------------------------------------------------------------------

  /// Is there from now on; told once, before it is offered.
  virtual void joined(worker&, instant) noexcept {
    // nop
  }

  /// Is gone, with all that it had; told once, after it was withdrawn.
  virtual void left(worker&, instant) noexcept {
    // nop
  }

  /// May be chosen from now on.
  virtual void offered(worker& worker, instant now) noexcept = 0;

  /// May not be chosen for now, or ever again.
  virtual void withdrawn(worker& worker, instant now) noexcept = 0;

  /// Was chosen last, and is about to be given the task for that. Not told of
  /// tasks that go home or are stolen.
  virtual void picked(worker&, const task&, instant) noexcept {
    // nop
  }

  /// Was given the task, which counts as in flight on it by now; it may have
  /// been withdrawn for that already.
  virtual void assigned(worker& worker, task& task, instant now) noexcept = 0;

  /// Begins with the task, as far as is known: told again when it turns out to
  /// have begun later. Only told if something is measured.
  virtual void began(worker&, task&, instant) noexcept {
    // nop
  }

  /// Has ended the task, at this cost; `unassigned` follows. Only told if
  /// something is measured.
  virtual void measured(worker&, task&, ending, duration, instant) noexcept {
    // nop
  }

  /// Has the task no more, ended or not.
  virtual void unassigned(worker& worker, task& task, instant now) noexcept = 0;

  // -- questions --------------------------------------------------------------

  /// The measure that the placement wants, if any; always the same answer.
  virtual std::optional<measure> measures() const noexcept {
    return std::nullopt;
  }

  /// Whether it goes by the kinds of tasks, or by what they are known to take;
  /// always the same answer.
  virtual bool goes_by_kinds() const noexcept {
    return false;
  }

  /// Whether the task goes after tasks of its key that were accepted before it,
  /// even if it has to wait for that.
  virtual bool keeps_order(const task&) const noexcept {
    return false;
  }

  /// Whether the task has to go where others of its key are in flight, wherever
  /// it is at home.
  virtual bool is_tied(const task&) const noexcept {
    return false;
  }

  /// One of the offered workers; nullptr if none of them suits the task, which
  /// then waits until another one is offered or a task has unassigned. Changes
  /// no worker's turn before the answer is `picked`: asked again before a fact
  /// has come, it gives the same one.
  virtual worker* choose(const task& task, instant now) noexcept = 0;

  /// Chooses for a task that may run on some workers only, or has room there
  /// only: one of the offered workers `some`, in the order in which they
  /// joined.
  /// @pre some are offered
  virtual worker* choose_among(const std::vector<worker*>& some,
                               const task& task, instant now) noexcept = 0;
};

} // namespace libpool
