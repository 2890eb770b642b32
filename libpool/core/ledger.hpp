#pragma once

#include <cstdint>

namespace libpool {

/// The number of tasks of a pool in each state. Each accepted task counts in
/// exactly one state.
struct ledger {
  std::uint64_t accepted = 0;
  /// Not part of `accepted`.
  std::uint64_t refused = 0;

  std::uint64_t waiting = 0;
  std::uint64_t assigned = 0;
  std::uint64_t sent = 0;
  std::uint64_t running = 0;

  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;

  /// Returns the number of tasks that are accepted and not settled.
  constexpr std::uint64_t open() const noexcept {
    return waiting + assigned + sent + running;
  }

  /// Whether each accepted task counts in exactly one state. Always true.
  constexpr bool balances() const noexcept {
    return accepted == open() + completed + failed + cancelled;
  }
};

} // namespace libpool
