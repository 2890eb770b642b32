#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Round robin over the positions 0 to n - 1 of a list, for any number of
/// threads at once.
///
/// All threads share one counter, so that the numbers of turns of two positions
/// differ by at most one. Each call of `next` therefore writes to shared
/// memory, unlike the calls of `random_draws`.
///
/// Order:   ascending positions; the first position follows the last one.
/// Cost:    `next` takes one atomic addition and one division. 64 bytes of
///          memory, so that the counter shares no cache line with other data.
/// Threads: any.
class alignas(64) turns {
public:
  turns() = default;

  /// Makes turns. The first call of `next` returns the position `first`.
  explicit turns(std::size_t first) noexcept : count_(first) {
    // nop
  }

  /// Makes turns with the same next position as `other`.
  turns(const turns& other) noexcept : count_(other.count_.load()) {
    // nop
  }

  /// Sets the next position to the next position of `other`.
  turns& operator=(const turns& other) noexcept {
    count_.store(other.count_.load());
    return *this;
  }

  /// Returns the position whose turn it is, from 0 to `size` - 1. `size` is the
  /// number of positions. The next call returns the next position.
  /// @pre size > 0
  std::size_t next(std::size_t size) noexcept {
    return count_.fetch_add(1, std::memory_order_relaxed) % size;
  }

  /// Returns the turns for the list after positions were appended. `size` is
  /// the number of positions so far. The next position stays the same.
  turns with_more(std::size_t size) const noexcept {
    return turns{size == 0 ? 0 : count_.load() % size};
  }

  /// Returns turns for a list from which the position `gone` is removed. `size`
  /// is the number of positions before the removal. No other position loses or
  /// gains a turn.
  /// @pre gone < size
  turns without(std::size_t gone, std::size_t size) const noexcept {
    auto upcoming = count_.load() % size;
    if (gone < upcoming)
      --upcoming;
    return turns{upcoming < size - 1 ? upcoming : 0};
  }

private:
  std::atomic<std::size_t> count_{0};
};

} // namespace libpool
