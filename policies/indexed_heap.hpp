#pragma once

#include "libpool/core/virtual_time.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace libpool {

/// What is in no heap.
constexpr auto no_place = static_cast<std::size_t>(-1);

/// A priority queue of things that know where in it they are, so that the key
/// of each can change, and each can be taken out. The earliest key is on top;
/// of equal ones, the one that `Before` puts first.
///
/// A heap with four children per node, keys beside the pointers: the children
/// fill a cache line. Boost's heaps that can be changed keep a node for each
/// element and reach keys through it; see `bench/fair_queue.cpp`.
///
/// Cost: O(log size) per change, O(1) for the top; allocates only to grow.
template <class T, std::size_t T::*Place, class Before>
class indexed_heap {
public:
  bool empty() const noexcept {
    return nodes_.empty();
  }

  std::size_t size() const noexcept {
    return nodes_.size();
  }

  /// @pre not empty
  T& top() const noexcept {
    return *nodes_.front().what;
  }

  static bool contains(const T& what) noexcept {
    return what.*Place != no_place;
  }

  /// Adds it, or moves it, by its key; and by what `Before` goes by.
  void put(T& what, virtual_time key) {
    if (!contains(what)) {
      nodes_.push_back({key, &what});
      rise(nodes_.size() - 1, {key, &what});
      return;
    }
    move(what.*Place, {key, &what});
  }

  void remove(T& what) noexcept {
    auto gap = std::exchange(what.*Place, no_place);
    auto last = nodes_.back();
    nodes_.pop_back();
    if (gap < nodes_.size())
      move(gap, last);
  }

  template <class Function>
  void for_each(Function f) const {
    for (const auto& each : nodes_)
      f(*each.what);
  }

private:
  struct node {
    virtual_time key;
    T* what;
  };

  static constexpr std::size_t children = 4;

  static bool goes_before(const node& x, const node& y) noexcept {
    if (x.key != y.key)
      return x.key < y.key;
    return Before{}(*x.what, *y.what);
  }

  void move(std::size_t gap, node what) noexcept {
    if (gap > 0 && goes_before(what, nodes_[(gap - 1) / children]))
      rise(gap, what);
    else
      sink(gap, what);
  }

  void set(std::size_t place, node what) noexcept {
    nodes_[place] = what;
    what.what->*Place = place;
  }

  void rise(std::size_t gap, node what) noexcept {
    while (gap > 0) {
      auto parent = (gap - 1) / children;
      if (!goes_before(what, nodes_[parent]))
        break;
      set(gap, nodes_[parent]);
      gap = parent;
    }
    set(gap, what);
  }

  void sink(std::size_t gap, node what) noexcept {
    for (;;) {
      auto first = gap * children + 1;
      if (first >= nodes_.size())
        break;
      auto least = first;
      auto end = std::min(first + children, nodes_.size());
      for (auto i = first + 1; i < end; ++i)
        if (goes_before(nodes_[i], nodes_[least]))
          least = i;
      if (!goes_before(nodes_[least], what))
        break;
      set(gap, nodes_[least]);
      gap = least;
    }
    set(gap, what);
  }

  std::vector<node> nodes_;
};

} // namespace libpool
