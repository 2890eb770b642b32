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

  /// Returns the task that was added `n` tasks behind the first one of those
  /// that were added in order; nullptr: none, or it was removed.
  task* behind(std::size_t n) const noexcept {
    return n < end_ - first_ ? in_turn(first_ + static_cast<turn>(n)).task
                             : nullptr;
  }

  /// Adds the task.
  /// @pre the task is in no heap of this slot
  void add(task& task, Key key) {
    const node added{key, &task};
    if (queued_ == 0 || !goes_first(added, in_turn(end_ - 1))) {
      enqueue(added);
    } else {
      insert(added);
    }
  }

  /// Removes the task.
  /// @pre the task is in the heap
  void remove(task& task) noexcept {
    auto gap = std::exchange(task.*Slot, task::in_no_heap);
    if ((gap & in_queue) != 0)
      dequeue(gap);
    else
      erase(gap);
  }

  /// Calls `f` with each task, in no particular order. `f` must not change the
  /// heap.
  template <class F>
  void for_each(F f) const {
    for (const auto& each : nodes_)
      f(*each.task);
    for (auto i = first_; i != end_; ++i)
      if (auto* task = in_turn(i).task)
        f(*task);
  }

  /// Returns the tasks, the one with the smallest key first. `most`: maximum
  /// number of tasks.
  ///
  /// Cost: O(result), and O(n log n) for n tasks that were not added in order.
  std::vector<task*>
  in_order(std::size_t most = static_cast<std::size_t>(-1)) const {
    auto others = nodes_;
    std::sort(others.begin(), others.end(), goes_first);
    std::vector<task*> result;
    auto other = others.begin();
    auto add_others = [&](const node* before) {
      for (; other != others.end() && result.size() < most
             && (before == nullptr || goes_first(*other, *before));
           ++other)
        result.push_back(other->task);
    };
    for (auto i = first_; i != end_ && result.size() < most; ++i) {
      if (in_turn(i).task == nullptr)
        continue;
      add_others(&in_turn(i));
      if (result.size() < most)
        result.push_back(in_turn(i).task);
    }
    add_others(nullptr);
    return result;
  }

private:
  struct node {
    Key key{};
    libpool::task* task = nullptr; // nullptr: was removed from the queue
  };

  using turn = std::uint32_t;

  static constexpr std::size_t children = 4;
  static constexpr std::uint32_t in_queue = 0x8000'0000U;   // bit of a slot
  static constexpr std::uint32_t most_turns = 0x3fff'ffffU; // and turns below

  static bool goes_first(const node& x, const node& y) noexcept {
    return x.key != y.key ? x.key < y.key : x.task->number < y.task->number;
  }

  const node& first() const noexcept {
    if (queued_ == 0)
      return nodes_.front();
    return nodes_.empty() || goes_first(in_turn(first_), nodes_.front())
             ? in_turn(first_)
             : nodes_.front();
  }

  // -- the queue --------------------------------------------------------------

  /// Each entry has a turn; turns are counted from the first entry ever. The
  /// slot of a task in the queue has the turn of its entry. Unless the queue is
  /// empty, its first and its last entry have tasks.
  const node& in_turn(turn number) const noexcept {
    return ring_[number & mask_];
  }

  node& in_turn(turn number) noexcept {
    return ring_[number & mask_];
  }

  static void set_turn(const node& entry, turn number) noexcept {
    entry.task->*Slot = in_queue | (number & most_turns);
  }

  void enqueue(const node& added) {
    if (end_ - first_ == ring_.size())
      grow();
    set_turn(added, end_);
    in_turn(end_++) = added;
    ++queued_;
  }

  void dequeue(std::uint32_t slot) noexcept {
    in_turn(slot).task = nullptr;
    --queued_;
    while (first_ != end_ && in_turn(first_).task == nullptr)
      ++first_;
    while (first_ != end_ && in_turn(end_ - 1).task == nullptr)
      --end_;
    if (end_ - first_ > 2 * queued_ + most_gaps)
      close_gaps();
  }

  [[gnu::noinline]] void grow() {
    std::vector<node> larger(std::max<std::size_t>(2 * ring_.size(), 16));
    for (auto i = first_; i != end_; ++i)
      larger[i & (larger.size() - 1)] = in_turn(i);
    ring_ = std::move(larger);
    mask_ = static_cast<turn>(ring_.size() - 1);
  }

  /// Removes the entries without tasks.
  [[gnu::noinline]] void close_gaps() noexcept {
    auto end = first_;
    for (auto i = first_; i != end_; ++i)
      if (in_turn(i).task != nullptr) {
        set_turn(in_turn(i), end);
        in_turn(end++) = in_turn(i);
      }
    end_ = end;
  }

  // -- the heap ---------------------------------------------------------------

  // Apart, so that `add` and `remove` stay small.

  [[gnu::noinline]] void insert(const node& added) {
    nodes_.push_back(added);
    rise(nodes_.size() - 1, added);
  }

  [[gnu::noinline]] void erase(std::size_t gap) noexcept {
    auto last = nodes_.back();
    nodes_.pop_back();
    if (gap == nodes_.size())
      return;
    if (gap > 0 && goes_first(last, nodes_[parent_of(gap)]))
      rise(gap, last);
    else
      sink(gap, last);
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

  static constexpr std::size_t most_gaps = 64;

  std::vector<node> nodes_;
  std::vector<node> ring_; // the queue; size: a power of two
  std::size_t queued_ = 0; // entries of the queue that have tasks
  turn mask_ = 0;          // of places in the ring
  turn first_ = 0;         // of the first entry of the queue
  turn end_ = 0;           // behind the last one
};

} // namespace libpool
