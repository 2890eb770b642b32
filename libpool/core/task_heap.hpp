#pragma once

#include "libpool/core/task.hpp"

#include <boost/container/deque.hpp>

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
/// Tasks that are added in this order, as tasks with the same time until their
/// deadlines are, wait in a queue beside the heap.
///
/// Cost: O(1) to add a task as the last one, and to remove it, on average;
///       otherwise O(log size). O(1) for the first task. Allocates only to
///       grow.
template <class Key, std::uint32_t task::*Slot>
class task_heap {
public:
  task_heap() = default;
  task_heap(const task_heap&) = delete;
  task_heap& operator=(const task_heap&) = delete;

  /// Removes all tasks.
  /// @pre the tasks in the heap outlive the heap
  ~task_heap() {
    for_each([](task& each) { each.*Slot = task::in_no_heap; });
  }

  /// Whether the heap has no task.
  bool empty() const noexcept {
    return size() == 0;
  }

  /// Returns the number of tasks.
  std::size_t size() const noexcept {
    return nodes_.size() + queued_;
  }

  /// Whether the task is in the heap.
  static bool contains(const task& task) noexcept {
    return task.*Slot != task::in_no_heap;
  }

  /// Returns the first task.
  /// @pre !empty()
  task& top() const noexcept {
    return *first().task;
  }

  /// Returns the key of the first task.
  /// @pre !empty()
  Key top_key() const noexcept {
    return first().key;
  }

  /// Adds the task.
  /// @pre the task is in no heap of this slot
  void add(task& task, Key key) {
    const node added{key, &task};
    if (queue_.empty() || !goes_first(added, queue_.back())) {
      enqueue(added);
    } else {
      nodes_.push_back(added);
      rise(nodes_.size() - 1, added);
    }
  }

  /// Removes the task.
  /// @pre the task is in the heap
  void remove(task& task) noexcept {
    auto gap = std::exchange(task.*Slot, task::in_no_heap);
    if ((gap & in_queue) != 0)
      return dequeue(gap);
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
    for (const auto& each : queue_)
      if (each.task != nullptr)
        f(*each.task);
  }

private:
  struct node {
    Key key{};
    libpool::task* task = nullptr; // nullptr: was removed from the queue
  };

  static constexpr std::size_t children = 4;
  static constexpr std::uint32_t in_queue = 0x8000'0000U;   // bit of a slot
  static constexpr std::uint32_t most_turns = 0x3fff'ffffU; // and turns below

  static bool goes_first(const node& x, const node& y) noexcept {
    return x.key != y.key ? x.key < y.key : x.task->number < y.task->number;
  }

  const node& first() const noexcept {
    if (queued_ == 0)
      return nodes_.front();
    return nodes_.empty() || goes_first(queue_.front(), nodes_.front())
             ? queue_.front()
             : nodes_.front();
  }

  // -- the queue --------------------------------------------------------------

  /// The first and the last entry of the queue have tasks. A slot has the turn
  /// of the entry: turns are counted from the first entry ever.
  void enqueue(const node& added) {
    auto turn = (first_turn_ + queue_.size()) & most_turns;
    added.task->*Slot = in_queue | static_cast<std::uint32_t>(turn);
    queue_.push_back(added);
    ++queued_;
  }

  void dequeue(std::uint32_t slot) noexcept {
    queue_[(slot - first_turn_) & most_turns].task = nullptr;
    --queued_;
    while (!queue_.empty() && queue_.front().task == nullptr) {
      queue_.pop_front();
      first_turn_ = (first_turn_ + 1) & most_turns;
    }
    while (!queue_.empty() && queue_.back().task == nullptr)
      queue_.pop_back();
    if (queue_.size() > 2 * queued_ + most_gaps)
      close_gaps();
  }

  /// Removes the entries without tasks.
  void close_gaps() noexcept {
    auto end = std::remove_if(queue_.begin(), queue_.end(),
                              [](const node& x) { return x.task == nullptr; });
    queue_.erase(end, queue_.end());
    auto turn = first_turn_;
    for (const auto& each : queue_)
      each.task->*Slot = in_queue | (turn++ & most_turns);
  }

  // -- the heap ---------------------------------------------------------------

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

  static constexpr std::size_t most_gaps = 64;

  std::vector<node> nodes_;
  boost::container::deque<node> queue_;
  std::size_t queued_ = 0;       // entries of the queue that have tasks
  std::uint32_t first_turn_ = 0; // of the first entry of the queue
};

} // namespace libpool
