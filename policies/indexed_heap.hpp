#pragma once

#include "libpool/core/virtual_time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// A priority queue of things that have small numbers, by which the key of each
/// can be changed, and each can be taken out. The earliest key is on top; of
/// equal ones, the one of which `Before` says so, asked about two numbers.
///
/// A heap with four children per node: keys beside the numbers, so that the
/// children fill a cache line, and what a change moves is noted in a small
/// array rather than in the things themselves, which may be anywhere. Boost's
/// heaps that can be changed keep a node for each element and reach keys
/// through it; see `bench/fair_queue.cpp`.
///
/// Cost: O(log size) per change, O(1) for the top; allocates only to grow.
template <class Before>
class indexed_heap {
public:
  using number = std::uint32_t;

  explicit indexed_heap(Before before) : before_(std::move(before)) {
    // nop
  }

  bool empty() const noexcept {
    return nodes_.empty();
  }

  std::size_t size() const noexcept {
    return nodes_.size();
  }

  /// @pre not empty
  number top() const noexcept {
    return nodes_.front().item;
  }

  /// The number that is on top once the top is taken out; the top if there is
  /// no other one.
  /// @pre not empty
  number next() const noexcept {
    auto end = std::min(children + 1, nodes_.size());
    return nodes_[end > 1 ? first_of(1, end) : 0].item;
  }

  /// The numbers of which one is next are `next(0)` and so on, so many.
  /// @pre not empty
  std::size_t many_next() const noexcept {
    return std::min(children, nodes_.size() - 1);
  }

  number next(std::size_t i) const noexcept {
    return nodes_[1 + i].item;
  }

  bool contains(number item) const noexcept {
    return item < places_.size() && places_[item] != nowhere;
  }

  /// Adds it, or moves it, by its key; and by what `Before` goes by.
  void put(number item, virtual_time key) {
    if (contains(item))
      return move(places_[item], {key, item});
    if (item >= places_.size())
      places_.resize(item + std::size_t{1}, nowhere);
    nodes_.push_back({key, item});
    rise(nodes_.size() - 1, {key, item});
  }

  /// @pre it is there
  void remove(number item) noexcept {
    auto gap = std::exchange(places_[item], nowhere);
    auto last = nodes_.back();
    nodes_.pop_back();
    if (gap < nodes_.size())
      move(gap, last);
  }

private:
  struct node {
    virtual_time key;
    number item = 0;
  };

  static constexpr std::size_t children = 4;
  static constexpr auto nowhere = static_cast<std::uint32_t>(-1);

  bool goes_before(const node& x, const node& y) const noexcept {
    return x.key != y.key ? x.key < y.key : before_(x.item, y.item);
  }

  void move(std::size_t gap, node moved) noexcept {
    if (gap > 0 && goes_before(moved, nodes_[(gap - 1) / children]))
      rise(gap, moved);
    else
      sink(gap, moved);
  }

  void set(std::size_t place, node moved) noexcept {
    nodes_[place] = moved;
    places_[moved.item] = static_cast<std::uint32_t>(place);
  }

  void rise(std::size_t gap, node moved) noexcept {
    while (gap > 0) {
      auto parent = (gap - 1) / children;
      if (!goes_before(moved, nodes_[parent]))
        break;
      set(gap, nodes_[parent]);
      gap = parent;
    }
    set(gap, moved);
  }

  void sink(std::size_t gap, node moved) noexcept {
    for (;;) {
      auto first = gap * children + 1;
      if (first >= nodes_.size())
        break;
      auto least = first_of(first, std::min(first + children, nodes_.size()));
      if (!goes_before(nodes_[least], moved))
        break;
      set(gap, nodes_[least]);
      gap = least;
    }
    set(gap, moved);
  }

  /// The first of these places in order. It cannot be guessed, so there is no
  /// branch for a processor to predict, but for equal keys.
  std::size_t first_of(std::size_t begin, std::size_t end) const noexcept {
    auto least = begin;
    auto key = nodes_[begin].key;
    for (auto i = begin + 1; i < end; ++i) {
      auto ahead = nodes_[i].key - key;
      auto goes_first = ahead < 0
                        || (ahead == 0
                            && before_(nodes_[i].item, nodes_[least].item));
      least = goes_first ? i : least;
      key = goes_first ? nodes_[i].key : key;
    }
    return least;
  }

  Before before_;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> places_; // by number
};

} // namespace libpool
