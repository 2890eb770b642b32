#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace hash_tree {

/// Puts what settles in any order back into the order of its beginning.
///
/// Each item gets a number when it opens; when it is closed with a value, every
/// value up to the first item that is still open can be taken.
///
/// Cost: constant time; memory for what lies between the oldest open item and
/// the newest, which the caller limits by looking at `size`.
template <class T>
class reorder_window {
public:
  /// Opens the next item.
  std::uint64_t open(T initial) {
    slots_.push_back({std::move(initial), false});
    return first_ + slots_.size() - 1;
  }

  /// The item of that number, or nullptr if it was taken already.
  T* find(std::uint64_t number) {
    if (number < first_ || number - first_ >= slots_.size())
      return nullptr;
    return &slots_[number - first_].value;
  }

  /// Says that the item has its final value.
  /// @pre find(number)
  void close(std::uint64_t number) {
    slots_[number - first_].closed = true;
  }

  bool is_open(std::uint64_t number) {
    return find(number) != nullptr && !slots_[number - first_].closed;
  }

  /// The next item in order, if it is closed.
  std::optional<T> take() {
    if (slots_.empty() || !slots_.front().closed)
      return std::nullopt;
    auto out = std::move(slots_.front().value);
    drop();
    return out;
  }

  /// Gives the next item up.
  /// @pre size() > 0
  void drop() {
    slots_.pop_front();
    ++first_;
  }

  std::size_t size() const {
    return slots_.size();
  }

private:
  struct slot {
    T value;
    bool closed;
  };

  std::uint64_t first_ = 0;
  std::deque<slot> slots_;
};

} // namespace hash_tree
