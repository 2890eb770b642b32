#pragma once

#include "libpool/core/histogram.hpp"
#include "libpool/core/reason_counts.hpp"
#include "libpool/core/worker.hpp"

#include <cstdint>

namespace libpool {

/// The counts of a pool since it was made, besides its ledger.
struct pool_record {
  /// Record of the handlers that have run on all workers, former ones included.
  worker_record all;
  /// Times from acceptance to start.
  histogram waits;
  /// Times from start to end.
  histogram services;
  /// Reasons of refused tasks.
  reason_counts refusals;
  /// Reasons of failed and cancelled tasks.
  reason_counts errors;
  /// Number of retries after crashes.
  std::uint64_t retries = 0;

  /// Adds the run of a handler.
  void note(duration wait, duration service, ending how) noexcept {
    all.note(wait, service, how);
    waits.record(wait);
    services.record(service);
  }
};

} // namespace libpool
