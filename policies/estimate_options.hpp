#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Statistic that combines the recent samples of a worker into an estimate: the
/// mean or the median. Single outliers hardly change the median.
enum class statistic : std::uint8_t { mean, median };

/// Maximum of `estimate_options::history`. With this history, the samples of a
/// worker take about 0.5 MiB with means, and 2.5 MiB with medians.
constexpr std::size_t most_history = 65'536;

/// Maximum of `estimate_options::probe_every`.
constexpr std::size_t most_probe_every = 1'000'000;

/// Options of placements that use estimates, see `estimating_placement`.
/// `options_in` states the meaning and the bounds of each option;
/// docs/policies.md lists them.
struct estimate_options {
  /// Number of most recent samples of each worker that the estimate uses; at
  /// least 1; default: 386.
  std::size_t history = 386;
  /// Statistic that combines the samples of a worker into the estimate;
  /// default: the mean.
  libpool::statistic statistic = libpool::statistic::mean;
  /// Measured time of a task that is recorded as a sample; default: service
  /// time.
  libpool::measure measure = libpool::measure::service_time;
  /// Estimated cost of a task before any worker has a sample, above 0; unset:
  /// no estimate, and tasks are spread evenly.
  std::optional<duration> initial_estimate = std::nullopt;
  /// Number of assigned tasks, per worker of the pool, after which a worker
  /// that was idle all the time gets the next task as a probe. 0: no probes;
  /// default: 64.
  std::size_t probe_every = 64;
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(estimate_options& options);

/// Returns an option that sets `value` by the name of a measure.
choice_option choice_of(measure& value);

} // namespace libpool
