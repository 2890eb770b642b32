#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Round robin over the positions of a set, for any number of threads at once.
///
/// All threads share one order, so each position gets the same number of turns
/// to within one. Threads share one counter for that; `random_draws` needs no
/// shared counter.
///
/// Order:   ascending positions, then again from the first.
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

  /// Returns the next of `size` positions.
  /// @pre size > 0
  std::size_t next(std::size_t size) noexcept {
    return count_.fetch_add(1, std::memory_order_relaxed) % size;
  }

  /// Returns these turns for a set of `size` positions to which more are
  /// appended.
  turns with_more(std::size_t size) const noexcept {
    return turns{size == 0 ? 0 : count_.load() % size};
  }

  /// Returns these turns for a set of `size` positions without the position
  /// `gone`: no other position is passed over or served twice.
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
