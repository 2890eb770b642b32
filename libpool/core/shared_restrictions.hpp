#pragma once

#include "libpool/core/restriction.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace libpool {

/// The restrictions of tasks. Tasks that may run on the same workers share one
/// restriction, so that they wait together. A restriction exists as long as a
/// task has it.
///
/// Cost: O(n log n) for n workers named, and O(n log m) to find the restriction
///       among m restrictions.
class shared_restrictions {
public:
  /// Returns the restriction to the workers `only`, in any order, for one more
  /// task.
  ///
  /// Errors: std::invalid_argument if no worker is named.
  restriction& take(std::vector<worker_number> only, bool loose);

  /// A task that has the restriction does not need it any more.
  /// @pre the restriction is one of these
  void give_back(const restriction& where);

  /// Returns the number of restrictions.
  std::size_t size() const noexcept {
    return entries_.size();
  }

private:
  struct entry {
    restriction where;
    std::size_t tasks = 0;
  };

  using key = std::pair<std::vector<worker_number>, bool>;

  std::map<key, entry> entries_;
};

} // namespace libpool
