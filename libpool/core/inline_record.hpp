#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace libpool {

/// Storage inside a task for one value, of at most `Words` words (each the size
/// of a pointer), that a policy keeps for the task. Only the policy knows the
/// type of the value. The storage is part of the task, so no memory is
/// allocated.
///
/// Cost: memory for `Words` + 1 words.
template <std::size_t Words>
class inline_record {
public:
  /// Whether the record has a value.
  bool has_value() const noexcept {
    return has_value_;
  }

  /// Stores `value` in place of the previous value, and returns a reference to
  /// the stored value.
  template <class T>
  T& emplace(T value = {}) noexcept {
    static_assert(sizeof(T) <= sizeof(room_) && alignof(T) <= alignof(word));
    static_assert(std::is_trivially_copyable_v<T>);
    has_value_ = true;
    return *::new (static_cast<void*>(room_.data())) T(std::move(value));
  }

  /// Removes the value.
  void reset() noexcept {
    has_value_ = false;
  }

  /// Returns the stored value.
  /// @pre has_value(), and the value is a `T`
  template <class T>
  T& as() noexcept {
    return *std::launder(reinterpret_cast<T*>(room_.data()));
  }

  /// Returns the stored value.
  /// @pre has_value(), and the value is a `T`
  template <class T>
  const T& as() const noexcept {
    return *std::launder(reinterpret_cast<const T*>(room_.data()));
  }

private:
  using word = void*;

  alignas(word) std::array<std::byte, Words * sizeof(word)> room_{};
  bool has_value_ = false;
};

} // namespace libpool
