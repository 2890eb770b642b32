#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/core/instant.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace libpool {

/// Leases: messages of tasks that a worker was sent together. The worker
/// handles one after the other, by the same tracked element. The present task
/// of such a worker is the one whose message the element has.
class leasing {
public:
  /// Returns the present task of the worker that has the element.
  /// @pre the element has a lease
  static managed_task& present(const tracked_element& carrier) noexcept {
    const auto& lease = static_cast<const worker_lease&>(*carrier.lease());
    return *lease.tasks[lease.ended()];
  }

  /// Returns the worker that has the element.
  /// @pre the element has a lease
  static managed_worker& holder_of(const tracked_element& carrier) noexcept {
    return static_cast<const worker_lease&>(*carrier.lease()).worker;
  }

  // -- tasks that are sent ----------------------------------------------------

  /// Begins a lease of the worker at `now`. The worker gets an element with the
  /// message of `first`.
  static void begin(managed_task& first, managed_worker& worker, instant now);

  /// Adds the message of the task to the lease.
  /// @pre the worker does not have the element
  static void add(managed_task& added, managed_worker& worker);

  /// Gives the element the lease. `stops_at_errors`: whether the worker reports
  /// each answer that is an error before it handles the next message.
  static void give(tracked_element& carrier, const managed_worker& worker,
                   bool stops_at_errors);

  // -- tasks that end or come back --------------------------------------------

  /// Calls `f(task, times)` with each task of a lease that the worker has ended
  /// and whose end was not told before.
  template <class F>
  static void tell_ends(managed_worker& worker, pool_clock& clock, F f) {
    if (!worker.has_lease())
      return;
    auto& tasks = worker.lease->tasks;
    worker.lease->tell_ends([&](std::size_t i, const run_times& times) {
      clock.task_ended(times.started, times.ended);
      tasks[i + 1]->carrier = std::exchange(tasks[i]->carrier, nullptr);
      f(*tasks[i], times);
    });
  }

  /// Takes back the last tasks that the worker has not begun, at most `n`.
  /// Calls `f(task)` with each of them, the last one first.
  template <class F>
  static void take_back(managed_worker& worker, std::size_t n, F f) {
    if (!worker.has_lease())
      return;
    auto& tasks = worker.lease->tasks;
    worker.lease->take_back(n, [&](std::size_t i, queued_element message) {
      tasks[i]->element = message.take();
    });
    while (tasks.size() > worker.lease->size()) {
      auto& task = *tasks.back();
      tasks.pop_back();
      f(task);
    }
  }

  /// Takes back the task, and those behind it, unless the worker has begun it.
  /// Calls `f(task)` with each of them, the last one first. Returns false if no
  /// lease has the task.
  template <class F>
  static bool take_back_from(managed_task& task, managed_worker& worker, F f) {
    if (!worker.has_lease())
      return false;
    const auto& tasks = worker.lease->tasks;
    auto i = std::find(tasks.begin(), tasks.end(), &task);
    if (i == tasks.end())
      return false;
    take_back(worker, static_cast<std::size_t>(tasks.end() - i), f);
    return true;
  }
};

} // namespace libpool
