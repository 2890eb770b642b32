#pragma once

#include "libpool/core/ledger.hpp"
#include "libpool/core/task.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Numbers of the tasks of a dispatcher by state and outcome.
///
/// Cost: O(1).
class state_counts {
public:
  state_counts() = default;
  state_counts(const state_counts&) = delete;
  state_counts& operator=(const state_counts&) = delete;

  /// The numbers of accepted tasks by state, and of settled tasks by outcome.
  /// The owner counts acceptances and outcomes.
  ledger books;

  /// Number of settled tasks whose handlers still run.
  std::uint64_t overdue() const noexcept {
    return overdue_;
  }

  /// Counts the change of a task from the state `from` to the state `to`.
  void changed(task::condition from, task::condition to) noexcept {
    --*counts_[static_cast<std::size_t>(from)];
    ++*counts_[static_cast<std::size_t>(to)];
  }

private:
  std::uint64_t overdue_ = 0;
  std::uint64_t unknown_ = 0; // written through `counts_`; never read
  /// Pointers to the numbers of tasks in each state, indexed by
  /// `task::condition`.
  const std::array<std::uint64_t*, 6> counts_{&unknown_,       &books.waiting,
                                              &books.assigned, &books.sent,
                                              &books.running,  &overdue_};
};

} // namespace libpool
