#pragma once

#include "libpool/core/task.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// Heap of tasks, the task with the smallest key first; of tasks with equal
/// keys, the one that was accepted first. `Slot` is the member of a task that
/// has its index in the heap.
///
/// Cost: O(log size) to add and to remove a task, O(1) for the first task;
///       allocates only to grow.
template <class Key, std::uint32_t task::*Slot>
class task_heap {
public:
  task_heap() = default;
  task_heap(const task_heap&) = delete;
  task_heap& operator=(const task_heap&) = delete;

  /// Removes all tasks.
  /// @pre the tasks in the heap outlive the heap
  ~task_heap() {
    for (auto& each : nodes_)
      each.task->*Slot = task::in_no_heap;
  }

  /// Whether the heap has no task.
  bool empty() const noexcept {
    return nodes_.empty();
  }

  /// Returns the number of tasks.
  std::size_t size() const noexcept {
    return nodes_.size();
  }

  /// Whether the task is in the heap.
  static bool contains(const task& task) noexcept {
    return task.*Slot != task::in_no_heap;
  }

  /// Returns the first task.
  /// @pre !empty()
  task& top() const noexcept {
    return *nodes_.front().task;
  }

  /// Returns the key of the first task.
  /// @pre !empty()
  Key top_key() const noexcept {
    return nodes_.front().key;
  }

  /// Adds the task.
  /// @pre the task is in no heap of this slot
  void add(task& task, Key key) {
    nodes_.push_back({key, &task});
    rise(nodes_.size() - 1, nodes_.back());
  }

  /// Removes the task.
  /// @pre the task is in the heap
  void remove(task& task) noexcept {
    auto gap = std::exchange(task.*Slot, task::in_no_heap);
    auto last = nodes_.back();
    nodes_.pop_back();
    if (gap == nodes_.size())
      return;
    if (gap > 0 && goes_first(last, nodes_[parent_of(gap)]))
      rise(gap, last);
    else
      sink(gap, last);
  }

  /// Calls `f` with each task, in no particular order. `f` must not change the
  /// heap.
  template <class F>
  void for_each(F f) const {
    for (const auto& each : nodes_)
      f(*each.task);
  }

private:
  struct node {
    Key key{};
    libpool::task* task = nullptr;
  };

  static constexpr std::size_t children = 4;

  static bool goes_first(const node& x, const node& y) noexcept {
    return x.key != y.key ? x.key < y.key : x.task->number < y.task->number;
  }

  static std::size_t parent_of(std::size_t place) noexcept {
    return (place - 1) / children;
  }

  void set(std::size_t place, node moved) noexcept {
    nodes_[place] = moved;
    moved.task->*Slot = static_cast<std::uint32_t>(place);
  }

  void rise(std::size_t gap, node moved) noexcept {
    for (; gap > 0 && goes_first(moved, nodes_[parent_of(gap)]);
         gap = parent_of(gap))
      set(gap, nodes_[parent_of(gap)]);
    set(gap, moved);
  }

  void sink(std::size_t gap, node moved) noexcept {
    for (auto first = gap * children + 1; first < nodes_.size();
         first = gap * children + 1) {
      auto end = std::min(first + children, nodes_.size());
      auto least = first;
      for (auto i = first + 1; i < end; ++i)
        least = goes_first(nodes_[i], nodes_[least]) ? i : least;
      if (!goes_first(nodes_[least], moved))
        break;
      set(gap, nodes_[least]);
      gap = least;
    }
    set(gap, moved);
  }

  std::vector<node> nodes_;
};

} // namespace libpool
