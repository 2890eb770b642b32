#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Whose turn it is: round robin over the positions of a set, for any number of
/// threads at once.
///
/// All threads share one order, so each position gets the same number of turns
/// to within one. The price is one shared counter: for an order per thread, or
/// none, see `random_draws`.
///
/// Order:   ascending positions, after the last one the first again.
/// Cost:    next: one atomic addition and one division. 64 bytes of memory, so
///          that the counter disturbs nothing beside it.
/// Threads: any.
class alignas(64) turns {
public:
  turns() = default;

  /// Starts with position `first`.
  explicit turns(std::size_t first) noexcept : count_(first) {
    // nop
  }

  turns(const turns& other) noexcept : count_(other.count_.load()) {
    // nop
  }

  turns& operator=(const turns& other) noexcept {
    count_.store(other.count_.load());
    return *this;
  }

  /// The next of `size` positions.
  /// @pre size > 0
  std::size_t next(std::size_t size) noexcept {
    return count_.fetch_add(1, std::memory_order_relaxed) % size;
  }

  /// These turns for a set of `size` positions and more behind them.
  turns with_more(std::size_t size) const noexcept {
    return turns{size == 0 ? 0 : count_.load() % size};
  }

  /// These turns for a set of `size` positions of which the one at `gone` is
  /// taken out: no member is passed over or served twice.
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
