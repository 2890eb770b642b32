#pragma once

#include "libpool/core/histogram.hpp"
#include "libpool/core/reason_counts.hpp"
#include "libpool/core/worker.hpp"

#include <cstdint>

namespace libpool {

/// The record of a pool so far, beside its ledger.
struct pool_record {
  /// Of the handlers of all workers that there ever were.
  worker_record all;
  /// From acceptance to start, and from there to the end, of each of them.
  histogram waits;
  histogram services;
  /// Of refused tasks, and of those that have failed or were cancelled.
  reason_counts refusals;
  reason_counts errors;
  /// How often a task was to run again after it had crashed its worker.
  std::uint64_t retries = 0;

  void note(duration wait, duration service, ending how) noexcept {
    all.note(wait, service, how);
    waits.record(wait);
    services.record(service);
  }
};

} // namespace libpool
