#pragma once

#include "libpool/core/ledger.hpp"

#include <caf/fwd.hpp>
#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/gauge.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace libpool {

/// Metrics of a managed pool in the metric registry of its actor system. The
/// metrics of pools with the same name are added up.
///
/// Cost:    one atomic addition for each changed value in each round of the
///          pool.
/// Threads: one thread at a time calls `show`. Any thread may read the metrics.
class pool_metrics {
public:
  /// Returns the metrics of a pool; nullptr unless the configuration of the
  /// system has `libpool.metrics = true`.
  static std::unique_ptr<pool_metrics> make(caf::actor_system& system,
                                            const char* name);

  pool_metrics(caf::actor_system& system, const char* name);
  pool_metrics(const pool_metrics&) = delete;
  pool_metrics& operator=(const pool_metrics&) = delete;
  ~pool_metrics();

  void show(const ledger& tasks, std::size_t workers, std::uint64_t restarts);

private:
  struct figures {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t restarts = 0;
    std::uint64_t waiting = 0;
    std::uint64_t running = 0;
    std::uint64_t workers = 0;
  };

  caf::telemetry::int_counter* accepted_;
  caf::telemetry::int_counter* refused_;
  caf::telemetry::int_counter* completed_;
  caf::telemetry::int_counter* failed_;
  caf::telemetry::int_counter* cancelled_;
  caf::telemetry::int_counter* restarts_;
  caf::telemetry::int_gauge* waiting_;
  caf::telemetry::int_gauge* running_;
  caf::telemetry::int_gauge* workers_;
  figures shown_;
};

} // namespace libpool
