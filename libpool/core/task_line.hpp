#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/task_heap.hpp"

#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// Waiting tasks in the order in which they go: by rank, the highest first, and
/// by number, the task that was accepted first. A task is in at most one line.
///
/// Tasks that are added in this order are kept in a list; others, for example
/// tasks that have come back from workers, in a heap.
///
/// Load: an empty line allocates nothing.
/// Cost: O(1) to add the last task, and to remove a task that was added as the
///       last one; otherwise O(log n) for n such tasks.
class task_line {
public:
  task_line() = default;
  task_line(const task_line&) = delete;
  task_line& operator=(const task_line&) = delete;

  /// Removes all tasks.
  /// @pre the tasks of the line outlive it
  ~task_line() {
    clear();
  }

  /// Whether no task waits in the line.
  bool empty() const noexcept {
    return in_order_.empty() && others_.empty();
  }

  /// Returns the number of tasks.
  std::size_t size() const noexcept {
    return in_order_.size() + others_.size();
  }

  /// Returns the task that goes first.
  /// @pre !empty()
  task& front() noexcept {
    return first_of(in_order_);
  }

  /// Returns the task that goes first.
  /// @pre !empty()
  const task& front() const noexcept {
    return first_of(in_order_);
  }

  /// Returns the task behind the first one, if both were added in order;
  /// otherwise nullptr.
  const task* second() const noexcept {
    auto i = in_order_.begin();
    return in_order_.size() > 1 ? &*++i : nullptr;
  }

  /// Returns the task that was added as the last one in order, if it has the
  /// rank of the task that goes first; otherwise the latter.
  /// @pre !empty()
  task& newest() noexcept {
    auto& first = front();
    return !in_order_.empty() && in_order_.back().rank == first.rank
             ? in_order_.back()
             : first;
  }

  /// Adds the task.
  /// @pre the task is in no line and in no mailbox
  void add(task& task) {
    if (in_order_.empty() || goes_before{}(in_order_.back(), task))
      in_order_.push_back(task);
    else
      others_.add(task, ~task.rank);
  }

  /// Removes the task.
  /// @pre the task is in the line
  void remove(task& task) noexcept {
    if (task.list_hook.is_linked())
      in_order_.erase(in_order_.iterator_to(task));
    else
      others_.remove(task);
  }

  /// Removes all tasks.
  void clear() noexcept {
    in_order_.clear();
    while (!others_.empty())
      others_.remove(others_.top());
  }

  /// Returns the tasks in the order in which they go.
  ///
  /// Cost: O(size + n log n) for n tasks that were not added in order.
  std::vector<task*> all() {
    return all_of<task>(in_order_);
  }

  /// Returns the tasks in the order in which they go.
  ///
  /// Cost: O(size + n log n) for n tasks that were not added in order.
  std::vector<const task*> all() const {
    return all_of<const task>(in_order_);
  }

private:
  template <class List>
  auto first_of(List& in_order) const noexcept -> decltype(in_order.front()) {
    if (others_.empty())
      return in_order.front();
    auto& other = others_.top();
    if (in_order.empty() || goes_before{}(other, in_order.front()))
      return other;
    return in_order.front();
  }

  template <class Task, class List>
  std::vector<Task*> all_of(List& in_order) const {
    std::vector<Task*> result;
    others_.for_each([&](task& each) { result.push_back(&each); });
    auto is_before = [](const task* x, const task* y) {
      return goes_before{}(*x, *y);
    };
    std::sort(result.begin(), result.end(), is_before);
    auto others = static_cast<std::ptrdiff_t>(result.size());
    for (auto& each : in_order)
      result.push_back(&each);
    std::inplace_merge(result.begin(), result.begin() + others, result.end(),
                       is_before);
    return result;
  }

  task_list in_order_;
  task_heap<std::int64_t, &task::line_slot> others_; // the highest rank first
};

} // namespace libpool
