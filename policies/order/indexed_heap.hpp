#pragma once

#include "libpool/core/virtual_time.hpp"

#include <boost/align/aligned_allocator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// A priority queue of items. An item is a number, for example an index in an
/// array of the caller; small numbers save memory. The key of each item can be
/// changed, and each item can be removed. The item with the smallest key is on
/// top. If keys are equal, `Before` decides: a function that takes two items,
/// and returns whether the first one goes before the second one.
///
/// The queue is a heap with four children per node. Keys are stored beside the
/// numbers, so that the children of a node fill one cache line. The position of
/// each item is kept in a small array, not in the item itself, which may be
/// anywhere in memory. The heap reports items that move up, so that the caller
/// can prefetch them. Boost's mutable heaps keep a node for each element and
/// reach keys through the node; `bench/fair_queue.cpp` compares both heaps.
///
/// Cost: O(log size) per change, O(1) for the top; allocates only to grow.
template <class Before, class Key = virtual_time>
class indexed_heap {
public:
  /// Number of an item. The user of the heap assigns the numbers.
  using number = std::uint32_t;

  /// Makes an empty heap. `before` decides between two items with equal keys.
  explicit indexed_heap(Before before) : before_(std::move(before)) {
    // nop
  }

  /// Whether the heap has no item.
  bool empty() const noexcept {
    return nodes_.size() == root;
  }

  /// Returns the number of items.
  std::size_t size() const noexcept {
    return nodes_.size() - root;
  }

  /// Returns the item with the smallest key.
  /// @pre !empty()
  number top() const noexcept {
    return nodes_[root].item;
  }

  /// Whether the item is in the heap.
  bool contains(number item) const noexcept {
    return item < places_.size() && places_[item] != nowhere;
  }

  /// Adds the item, or changes its key. If the item is already in the heap, its
  /// position is updated, even if only the result of `Before` has changed.
  /// Calls `rose(item, depth)` for each other item that moves up as a result,
  /// for example to prefetch its data; depth 0 is the top.
  template <class Rose>
  void put(number item, Key key, Rose rose) {
    if (contains(item))
      return move(places_[item], {key, item}, rose);
    if (item >= places_.size())
      places_.resize(item + std::size_t{1}, nowhere);
    nodes_.push_back({key, item});
    rise(nodes_.size() - 1, {key, item});
  }

  /// Adds the item, or changes its key.
  void put(number item, Key key) {
    put(item, key, ignored{});
  }

  /// Removes the item. Calls `rose(item, depth)` for each other item that moves
  /// up as a result, for example to prefetch its data; depth 0 is the top.
  /// @pre contains(item)
  template <class Rose>
  void remove(number item, Rose rose) noexcept {
    auto gap = std::exchange(places_[item], nowhere);
    auto last = nodes_.back();
    nodes_.pop_back();
    if (gap < nodes_.size())
      move(gap, last, rose);
  }

  /// Removes the item.
  /// @pre contains(item)
  void remove(number item) noexcept {
    remove(item, ignored{});
  }

private:
  struct node {
    Key key{};
    number item = 0;
  };

  struct ignored {
    void operator()(number, std::size_t) const noexcept {
      // nop
    }
  };

  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t children = 4;
  static constexpr auto nowhere = static_cast<std::uint32_t>(-1);

  /// Index of the top of the heap in `nodes_`. Smaller indices are unused, so
  /// that the four children of each node are on one cache line.
  static constexpr std::size_t root = children - 1;

  static std::size_t parent_of(std::size_t place) noexcept {
    return place / children + root - 1;
  }

  static std::size_t first_child_of(std::size_t place) noexcept {
    return (place - root + 1) * children;
  }

  bool goes_before(const node& x, const node& y) const noexcept {
    return x.key != y.key ? x.key < y.key : before_(x.item, y.item);
  }

  template <class Rose>
  void move(std::size_t gap, node moved, Rose rose) noexcept {
    if (gap > root && goes_before(moved, nodes_[parent_of(gap)]))
      rise(gap, moved);
    else
      sink(gap, moved, rose);
  }

  void set(std::size_t place, node moved) noexcept {
    nodes_[place].key = moved.key;
    nodes_[place].item = moved.item;
    places_[moved.item] = static_cast<std::uint32_t>(place);
  }

  void rise(std::size_t gap, node moved) noexcept {
    while (gap > root) {
      auto parent = parent_of(gap);
      if (!goes_before(moved, nodes_[parent]))
        break;
      set(gap, nodes_[parent]);
      gap = parent;
    }
    set(gap, moved);
  }

  template <class Rose>
  void sink(std::size_t gap, node moved, Rose rose) noexcept {
    for (auto depth = depth_of(gap);; ++depth) {
      auto first = first_child_of(gap);
      if (first >= nodes_.size())
        break;
      auto least = first_of(first, std::min(first + children, nodes_.size()));
      if (!goes_before(nodes_[least], moved))
        break;
      set(gap, nodes_[least]);
      rose(nodes_[gap].item, depth);
      gap = least;
    }
    set(gap, moved);
  }

  void prefetch_children(std::size_t first) const noexcept {
    auto next = first_child_of(first);
    if (next + children * children > nodes_.size())
      return;
    for (std::size_t i = 0; i < children; ++i)
      __builtin_prefetch(&nodes_[next + i * children]);
  }

  static std::size_t depth_of(std::size_t place) noexcept {
    std::size_t result = 0;
    for (; place > root; place = parent_of(place))
      ++result;
    return result;
  }

  /// Returns the index in [begin, end) of the node with the smallest key.
  std::size_t first_of(std::size_t begin, std::size_t end) const noexcept {
    if (end - begin == children)
      return first_of_all(begin);
    auto least = begin;
    for (auto i = begin + 1; i < end; ++i)
      least = goes_before(nodes_[i], nodes_[least]) ? i : least;
    return least;
  }

  /// Returns the index of the node with the smallest key among the four nodes
  /// from `begin` on. The code branches only for equal keys, because a
  /// processor could not predict other branches.
  std::size_t first_of_all(std::size_t begin) const noexcept {
    static_assert(children == 4);
    auto left = first_of_two(begin, begin + 1);
    auto right = first_of_two(begin + 2, begin + 3);
    return first_of_two(left, right);
  }

  std::size_t first_of_two(std::size_t x, std::size_t y) const noexcept {
    auto is_second = nodes_[y].key < nodes_[x].key;
    if (nodes_[x].key == nodes_[y].key)
      is_second = before_(nodes_[y].item, nodes_[x].item);
    return x + (y - x) * static_cast<std::size_t>(is_second);
  }

  Before before_;
  std::vector<node, boost::alignment::aligned_allocator<node, cache_line>>
    nodes_{root};
  std::vector<std::uint32_t> places_; // index in `nodes_`, by number
};

} // namespace libpool
