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
    return nodes_.front().what;
  }

  bool contains(number what) const noexcept {
    return what < places_.size() && places_[what] != nowhere;
  }

  /// Adds it, or moves it, by its key; and by what `Before` goes by.
  void put(number what, virtual_time key) {
    if (contains(what))
      return move(places_[what], {key, what});
    if (what >= places_.size())
      places_.resize(what + std::size_t{1}, nowhere);
    nodes_.push_back({key, what});
    rise(nodes_.size() - 1, {key, what});
  }

  /// @pre it is there
  void remove(number what) noexcept {
    auto gap = std::exchange(places_[what], nowhere);
    auto last = nodes_.back();
    nodes_.pop_back();
    if (gap < nodes_.size())
      move(gap, last);
  }

private:
  struct node {
    virtual_time key;
    number what = 0;
  };

  static constexpr std::size_t children = 4;
  static constexpr auto nowhere = static_cast<std::uint32_t>(-1);

  bool goes_before(const node& x, const node& y) const noexcept {
    return x.key != y.key ? x.key < y.key : before_(x.what, y.what);
  }

  void move(std::size_t gap, node what) noexcept {
    if (gap > 0 && goes_before(what, nodes_[(gap - 1) / children]))
      rise(gap, what);
    else
      sink(gap, what);
  }

  void set(std::size_t place, node what) noexcept {
    nodes_[place] = what;
    places_[what.what] = static_cast<std::uint32_t>(place);
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
      auto least = first_of(first, std::min(first + children, nodes_.size()));
      if (!goes_before(nodes_[least], what))
        break;
      set(gap, nodes_[least]);
      gap = least;
    }
    set(gap, what);
  }

  /// Which of those goes first. Which one that is nobody can guess, so there is
  /// no branch for a processor to predict, but for equal keys.
  std::size_t first_of(std::size_t begin, std::size_t end) const noexcept {
    auto least = begin;
    auto key = nodes_[begin].key;
    for (auto i = begin + 1; i < end; ++i) {
      auto ahead = nodes_[i].key - key;
      auto goes_first = ahead < 0
                        || (ahead == 0
                            && before_(nodes_[i].what, nodes_[least].what));
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
