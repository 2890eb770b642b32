#pragma once

#include "libpool/core/restriction.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace libpool {

/// Sets of the workers that may run certain tasks, shared by these tasks: tasks
/// that may run on the same workers have the same `restriction`. A restriction
/// exists as long as a task has it.
///
/// Cost: O(n) for a restriction to n workers; O(n log n) if they are not in
///       ascending order.
class LIBPOOL_EXPORT shared_restrictions {
public:
  /// Returns the restriction of tasks to the workers `only`, in any order, and
  /// counts one more task that has it. `loose`: whether other workers may run
  /// the task if none of the workers in `only` can take it.
  ///
  /// Errors: std::invalid_argument if `only` is empty.
  restriction& take(std::vector<worker_number> only, bool loose);

  /// Records that one task less has the restriction (the set of workers that
  /// may run it). Destroys the restriction if no task has it any more.
  /// @pre `take` returned the restriction
  void give_back(restriction& where);

  /// Returns the number of different restrictions that tasks have.
  std::size_t size() const noexcept {
    return entries_.size();
  }

private:
  struct entry : restriction {
    std::size_t hash = 0;
    std::size_t tasks = 0;
  };

  std::unordered_multimap<std::size_t, entry> entries_; // by `entry::hash`
};

} // namespace libpool
