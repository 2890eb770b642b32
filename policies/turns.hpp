#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Round robin over the positions of a set, for any number of threads at once.
///
/// All threads share one counter, so the numbers of turns of two positions
/// differ by at most one. Each call therefore writes to shared memory, unlike
/// the calls of `random_draws`.
///
/// Order:   ascending positions; the first position follows the last one.
/// Cost:    `next` takes one atomic addition and one division. 64 bytes of
///          memory, so that the counter shares no cache line with other data.
/// Threads: any.
class alignas(64) turns {
public:
  turns() = default;

  /// Starts at position `first`.
  explicit turns(std::size_t first) noexcept : count_(first) {
    // nop
  }

  /// Starts at the position of `other`.
  turns(const turns& other) noexcept : count_(other.count_.load()) {
    // nop
  }

  /// Continues at the position of `other`.
  turns& operator=(const turns& other) noexcept {
    count_.store(other.count_.load());
    return *this;
  }

  /// Returns the next position, from 0 to `size` - 1.
  /// @pre size > 0
  std::size_t next(std::size_t size) noexcept {
    return count_.fetch_add(1, std::memory_order_relaxed) % size;
  }

  /// Returns turns for a larger set, which has further positions after the
  /// first `size` ones. The next position stays the same.
  turns with_more(std::size_t size) const noexcept {
    return turns{size == 0 ? 0 : count_.load() % size};
  }

  /// Returns turns for a smaller set, from which the position `gone` is
  /// removed. `size` is the number of positions before the removal. No other
  /// position is passed over or gets an additional turn.
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
