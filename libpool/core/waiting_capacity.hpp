#pragma once

#include "libpool/core/limits.hpp"
#include "libpool/core/pool_tasks.hpp"
#include "libpool/core/pool_workers.hpp"
#include "libpool/core/task_leases.hpp"

#include <algorithm>
#include <cstddef>

namespace libpool {

/// Counts the tasks that were not sent to a worker and the reserved places
/// against the maximum number of waiting tasks. Tasks that wait behind others
/// at workers count as waiting.
///
/// Cost:    O(1), if not stated otherwise.
/// Threads: one at a time.
class waiting_capacity {
public:
  /// Makes an object without reserved places. `tasks`: numbers of tasks by
  /// state. `leases`: tasks that wait behind others at workers.
  /// @pre `tasks`, `leases` and `workers` outlive the object
  waiting_capacity(const limits& within, const pool_tasks& tasks,
                   const task_leases& leases,
                   const pool_workers& workers) noexcept
    : most_(within.capacity),
      drops_oldest_(within.on_overflow == overflow::drop_oldest),
      tasks_(tasks),
      leases_(leases),
      workers_(workers) {
    // nop
  }

  /// Reserves places for that many tasks, which will be submitted later.
  /// Returns false, and reserves none, if tasks are dropped to make room.
  bool reserve(std::size_t tasks) noexcept {
    reserved_ += drops_oldest_ ? 0 : tasks;
    return !drops_oldest_;
  }

  /// Gives back that many places that were reserved.
  void unreserve(std::size_t tasks) noexcept {
    reserved_ -= tasks;
  }

  /// Returns the maximum number of waiting tasks; the largest number: no limit.
  std::size_t most() const noexcept {
    return most_;
  }

  /// Whether the oldest unsent task is dropped to make room for a new one.
  bool drops_oldest() const noexcept {
    return drops_oldest_;
  }

  /// Returns the number of further tasks that can wait, as far as the ends of
  /// tasks have been reported. `leaving`: number of waiting tasks that are
  /// about to go to workers.
  std::size_t room(std::size_t leaving = 0) const noexcept {
    return most_ - std::min(unsent() - leaving, most_);
  }

  /// Whether the maximum number of tasks waits, as far as the ends of tasks
  /// have been reported.
  bool is_full() const noexcept {
    return room() == 0;
  }

  /// Whether the pool could hold that many tasks at a time if it had no other
  /// ones: they are at most as many as may wait, and as there are places for
  /// tasks at workers.
  ///
  /// Cost: O(workers) if they are more than may wait.
  bool can_hold(std::size_t tasks) const noexcept {
    return tasks <= most_ || tasks - most_ <= workers_.places();
  }

  /// Whether that many further tasks fit: they can all wait, or they and all
  /// tasks that the pool has are as many as it can hold. Always true if tasks
  /// are dropped to make room.
  ///
  /// Cost: O(workers) if not all of them can wait.
  bool has_room_for(std::size_t tasks) const noexcept {
    return drops_oldest_ || tasks <= room()
           || can_hold(tasks + unsent() + begun());
  }

private:
  /// Number of waiting tasks plus number of reserved places. Tasks behind
  /// others at workers (`task::follows`) count as waiting.
  std::size_t unsent() const noexcept {
    return tasks_.books.waiting + tasks_.books.assigned + leases_.followers()
           + reserved_;
  }

  /// Number of other tasks that are at workers.
  std::size_t begun() const noexcept {
    return tasks_.books.sent - leases_.followers() + tasks_.books.running
           + tasks_.overdue();
  }

  const std::size_t most_;
  const bool drops_oldest_;
  const pool_tasks& tasks_;
  const task_leases& leases_;
  const pool_workers& workers_;
  std::size_t reserved_ = 0;
};

} // namespace libpool
