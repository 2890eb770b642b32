#pragma once

#include "libpool/core/dispatcher_counts.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/worker.hpp"

namespace libpool {

/// Statistics of a pool since it was made, except the numbers of tasks in each
/// state, which are in its `ledger`.
struct pool_record : dispatcher_counts {
  /// Counts and times, summed over the handler runs on all workers, former
  /// workers included.
  worker_record all;
  /// Times from the acceptance of a task to the start of its handler.
  histogram waits;
  /// Times from the start of a handler to its end.
  histogram services;

  /// Adds a handler run. `wait`: time from acceptance to start. `service`: time
  /// from start to end. `ending`: how the run ended.
  void note(duration wait, duration service, ending ending) noexcept {
    all.note(wait, service, ending);
    waits.record(wait);
    services.record(service);
  }
};

} // namespace libpool
