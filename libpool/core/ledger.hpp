#pragma once

#include <cstdint>

namespace libpool {

/// The number of tasks of a pool in each state. Each accepted task counts in
/// exactly one state.
struct ledger {
  /// Number of accepted tasks.
  std::uint64_t accepted = 0;
  /// Number of refused tasks; not part of `accepted`.
  std::uint64_t refused = 0;

  /// Number of accepted tasks that are not assigned to a worker.
  std::uint64_t waiting = 0;
  /// Number of tasks that are assigned to a worker and not sent.
  std::uint64_t assigned = 0;
  /// Number of tasks that are in the mailbox of a worker and have not begun.
  std::uint64_t sent = 0;
  /// Number of tasks that are not settled and whose handler runs.
  std::uint64_t running = 0;

  /// Number of completed tasks.
  std::uint64_t completed = 0;
  /// Number of failed tasks.
  std::uint64_t failed = 0;
  /// Number of cancelled tasks.
  std::uint64_t cancelled = 0;

  /// Returns the number of accepted tasks that are not settled.
  constexpr std::uint64_t open() const noexcept {
    return waiting + assigned + sent + running;
  }

  /// Whether `accepted` equals the number of open and settled tasks. Always
  /// true for the ledger of a pool.
  constexpr bool balances() const noexcept {
    return accepted == open() + completed + failed + cancelled;
  }
};

} // namespace libpool
