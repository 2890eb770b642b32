#pragma once

#include "libpool/core/histogram.hpp"
#include "libpool/core/reason_counts.hpp"
#include "libpool/core/worker.hpp"

#include <cstdint>

namespace libpool {

/// Statistics of a pool since it was made, without the numbers of tasks in its
/// `ledger`.
struct pool_record {
  /// Sums over the handler runs on all workers, former workers included.
  worker_record all;
  /// Times from acceptance to start of the handler.
  histogram waits;
  /// Times from start to end of the handler.
  histogram services;
  /// Numbers of refused tasks, by reason.
  reason_counts refusals;
  /// Numbers of failed and cancelled tasks, by reason.
  reason_counts errors;
  /// Number of retries after crashes or losses of nodes.
  std::uint64_t retries = 0;

  /// Adds a handler run with the given times and ending.
  void note(duration wait, duration service, ending how) noexcept {
    all.note(wait, service, how);
    waits.record(wait);
    services.record(service);
  }
};

} // namespace libpool
