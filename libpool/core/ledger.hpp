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

  /// Number of accepted tasks that are not assigned to a worker yet.
  std::uint64_t waiting = 0;
  /// Number of tasks that are assigned to a worker, and not sent to it yet.
  std::uint64_t assigned = 0;
  /// Number of tasks that are in the mailbox of a worker and have not begun.
  std::uint64_t sent = 0;
  /// Number of tasks whose handler runs. Tasks that were cancelled while the
  /// handler ran do not count.
  std::uint64_t running = 0;

  /// Number of completed tasks.
  std::uint64_t completed = 0;
  /// Number of failed tasks.
  std::uint64_t failed = 0;
  /// Number of cancelled tasks.
  std::uint64_t cancelled = 0;

  /// Returns the number of accepted tasks without an outcome: neither
  /// completed, failed nor cancelled.
  constexpr std::uint64_t open() const noexcept {
    return waiting + assigned + sent + running;
  }

  /// Whether the counters are consistent: `accepted` is the sum of the tasks
  /// without an outcome and the completed, failed and cancelled tasks. Always
  /// true for the ledger of a pool.
  constexpr bool balances() const noexcept {
    return accepted == open() + completed + failed + cancelled;
  }
};

} // namespace libpool
