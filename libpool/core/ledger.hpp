#pragma once

#include <cstdint>

namespace libpool {

/// Where all tasks of a pool are. Each one that was accepted is in one place.
struct ledger {
  std::uint64_t accepted = 0;
  /// Apart: never accepted.
  std::uint64_t refused = 0;

  std::uint64_t waiting = 0;
  std::uint64_t assigned = 0;
  std::uint64_t sent = 0;
  std::uint64_t running = 0;

  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;

  /// Accepted and not settled.
  constexpr std::uint64_t open() const noexcept {
    return waiting + assigned + sent + running;
  }

  /// Always true.
  constexpr bool balances() const noexcept {
    return accepted == open() + completed + failed + cancelled;
  }
};

} // namespace libpool
