#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/measure.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace libpool {

/// Options of the placement `consistent_hash`, also listed in docs/policies.md.
struct consistent_hash_options {
  /// Maximum number of tasks in flight at a worker, as a multiple of the mean
  /// number over all workers; above 1; default: 1.25.
  double balance = 1.25;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(consistent_hash_options& options);

/// Options of the placement `join_shortest_estimated_queue`, also listed in
/// docs/policies.md.
struct shortest_queue_options {
  /// Weight of the most recent task in the estimated service time of its kind.
  /// The estimate is a moving average over the tasks of one kind. Above 0 and
  /// at most 1; default: 0.25.
  double alpha = 0.25;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(shortest_queue_options& options);

/// Options of the placements whose only option is the seed of random draws.
struct draw_options {
  /// Seed of the random draws; default: 1.
  std::uint64_t seed = 1;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(draw_options& options);

/// Options of the placement `peak_ewma`, also listed in docs/policies.md.
struct peak_ewma_options {
  /// Seed of the random draws; default: 1.
  std::uint64_t seed = 1;
  /// Measured time of a task that counts as the latency of its worker; default:
  /// service time, from the start of the task to its end.
  libpool::measure measure = libpool::measure::service_time;
  /// Time after which the weight of a measured latency in the moving average of
  /// its worker has decayed to 1/e; above 0; default: 10 s.
  duration decay = std::chrono::seconds{10};
  /// Minimum latency that is assumed of a worker, even if all of its tasks are
  /// shorter; above 0; default: 1 us.
  duration floor = std::chrono::microseconds{1};
  /// Minimum latency that is recorded for a worker when a task crashes it; at
  /// least 0; default: 1 s.
  duration failure_penalty = std::chrono::seconds{1};
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(peak_ewma_options& options);

} // namespace libpool
