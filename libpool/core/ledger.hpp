#pragma once

#include <cstdint>

namespace libpool {

/// The number of tasks of a pool in each state. Each accepted task counts in
/// exactly one state.
struct ledger {
  /// Number of tasks accepted.
  std::uint64_t accepted = 0;
  /// Number of tasks refused; not part of `accepted`.
  std::uint64_t refused = 0;

  /// Number of accepted tasks that are not assigned to a worker.
  std::uint64_t waiting = 0;
  /// Number of tasks assigned to a worker and not sent.
  std::uint64_t assigned = 0;
  /// Number of tasks in the mailbox of a worker that have not begun.
  std::uint64_t sent = 0;
  /// Number of tasks whose handler runs.
  std::uint64_t running = 0;

  /// Number of tasks completed.
  std::uint64_t completed = 0;
  /// Number of tasks that failed.
  std::uint64_t failed = 0;
  /// Number of tasks cancelled.
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
