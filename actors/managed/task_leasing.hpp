#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/core/instant.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace libpool {

/// Leases of tasks: messages of tasks that a worker was sent together. The
/// worker handles one after the other, by the same tracked element.
///
/// The present task of a worker is the one whose message the element has.
class task_leasing {
public:
  /// `stops_at_errors`: whether a worker reports each answer that is an error
  /// before it handles the next message.
  task_leasing(pool_clock& clock, bool stops_at_errors) noexcept
    : clock_(clock), stops_at_errors_(stops_at_errors) {
    // nop
  }

  /// Whether the element has a lease of tasks.
  static bool has(const tracked_element& carrier) noexcept {
    return carrier.lease() != nullptr && !holder_of(carrier).leased.empty();
  }

  /// Whether the worker has a lease of tasks.
  static bool has(const managed_worker& worker) noexcept {
    return !worker.leased.empty();
  }

  /// Returns the worker that has the element.
  /// @pre the element has a lease
  static managed_worker& holder_of(const tracked_element& carrier) noexcept {
    return static_cast<managed_worker&>(
      static_cast<worker_lease&>(*carrier.lease()).worker);
  }

  /// Returns the task whose message the element has.
  /// @pre `has(worker)`
  static managed_task& present(const managed_worker& worker) noexcept {
    return *worker.leased[worker.lease->ended()];
  }

  // -- tasks that are sent ----------------------------------------------------

  /// Begins a lease of the worker, which gets the element with the message of
  /// `first`.
  void begin(managed_task& first, managed_worker& to);

  /// Adds the message of the task to the lease.
  /// @pre the worker does not have the element
  static void add(managed_task& added, managed_worker& to);

  /// Gives the element the lease.
  void give(tracked_element& carrier, managed_worker& to) const;

  // -- tasks that end or come back --------------------------------------------

  /// Calls `f(task, times)` with each task of the lease that the worker has
  /// ended, if its end was not told before.
  /// @pre `has(worker)`
  template <class F>
  void tell_ends(managed_worker& worker, F f) {
    auto& lease = *worker.lease;
    const auto ends = lease.tell_ends();
    if (ends.first == ends.last)
      return;
    clock_.tasks_ended(ends.first, ends.last);
    auto i = lease.index_of(*ends.first);
    auto* carrier = worker.leased[i]->carrier;
    for (const auto* each = ends.first; each != ends.last; ++each, ++i) {
      worker.leased[i]->carrier = nullptr;
      f(*worker.leased[i], *each);
    }
    worker.leased[i]->carrier = carrier;
  }

  /// Takes back the last tasks that the worker has not begun, at most `n`.
  /// Calls `f(task)` with each of them, the last one first.
  /// @pre `has(worker)`
  template <class F>
  static void take_back(managed_worker& worker, std::size_t n, F f) {
    const auto before = worker.lease->size();
    auto end = before;
    worker.lease->take_back(n, [&](const auto& entry, const auto&, const auto*) {
      worker.leased[--end]->element = entry.message.take();
    });
    for (auto i = before; i > end; --i) {
      auto& task = *worker.leased[i - 1];
      worker.leased.pop_back();
      f(task);
    }
  }

  /// Takes back the task, and those behind it, unless the worker has begun it.
  /// Calls `f(task)` with each of them, the last one first.
  template <class F>
  static void take_back_from(managed_task& task, managed_worker& worker, F f) {
    auto i = std::find(worker.leased.begin(), worker.leased.end(), &task);
    if (i != worker.leased.end())
      take_back(worker,
                static_cast<std::size_t>(std::distance(i, worker.leased.end())),
                f);
  }

  /// Forgets the lease of the worker.
  static void end(managed_worker& worker) noexcept {
    worker.leased.clear();
  }

private:
  pool_clock& clock_;
  const bool stops_at_errors_;
};

} // namespace libpool
