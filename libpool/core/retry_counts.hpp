#pragma once

#include "libpool/core/retry_budget.hpp"
#include "libpool/core/task.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace libpool {

/// Counts of tasks against a `retry_budget`.
///
/// Cost:    O(1), a hash of the flow for each task that goes to a worker or
///          comes back; nothing without a budget.
/// Threads: one at a time.
class retry_counts {
public:
  /// Makes counts without tasks. Unset `within`: nothing is limited. `by_flow`:
  /// whether each flow has its own count.
  retry_counts(const std::optional<retry_budget>& within, bool by_flow) noexcept
    : within_(within), by_flow_(by_flow) {
    // nop
  }

  /// Records that the task was sent to a worker.
  void sent(const task& task) {
    if (within_)
      ++counts_[key_of(task)].at_workers;
  }

  /// Records that the task has left its worker.
  void came_back(const task& task) {
    if (within_)
      change(task, &counts::at_workers);
  }

  /// Whether one more attempt at the task, which is at a worker and was
  /// answered with an error, is within the budget.
  bool allows(const task& task) const;

  /// Records that the task is retried after its first error.
  void began(const task& task) {
    if (within_)
      ++counts_[key_of(task)].retried;
  }

  /// Records that the task, which was retried after an error, is settled.
  void ended(const task& task) {
    if (within_)
      change(task, &counts::retried);
  }

private:
  struct counts {
    std::size_t at_workers = 0;
    std::size_t retried = 0;
  };

  std::uint64_t key_of(const task& task) const noexcept {
    return by_flow_ ? task.notes().flow.hash() : 0;
  }

  void change(const task& task, std::size_t counts::*lowered);

  const std::optional<retry_budget> within_;
  const bool by_flow_;
  std::unordered_map<std::uint64_t, counts> counts_; // by hash of the flow
};

} // namespace libpool
