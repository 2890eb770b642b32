#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/measure.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Statistic that combines the measured costs of a worker's recent tasks into
/// the estimated cost of its next task: the mean or the median. Single outliers
/// hardly change the median.
enum class statistic : std::uint8_t { mean, median };

/// Maximum of `estimate_options::history`, the number of recent tasks of a
/// worker whose costs are kept. With this number, the costs of a worker take
/// about 0.5 MiB if their mean is used, and 2.5 MiB if their median is used.
constexpr std::size_t most_history = 65'536;

/// Maximum of `estimate_options::probe_every`, in tasks per worker.
constexpr std::size_t most_probe_every = 1'000'000;

/// Options of placements that estimate how long a task takes on each worker,
/// such as `fair_share`. docs/policies.md lists these options, too.
struct estimate_options {
  /// Number of recent tasks of each worker from whose costs the cost of its
  /// next task is estimated; at least 1; default: 386.
  std::size_t history = 386;
  /// Statistic of the costs of a worker's recent tasks that is the estimated
  /// cost of its next task; default: the mean.
  libpool::statistic statistic = libpool::statistic::mean;
  /// Measured time of a task that counts as its cost; default: service time,
  /// from the start of the task to its end.
  libpool::measure measure = libpool::measure::service_time;
  /// Estimated cost of a task until the pool has completed its first task;
  /// above 0. Unset: tasks are not estimated until then, and are spread evenly,
  /// or by weight if the policy has weights.
  std::optional<duration> initial_estimate = std::nullopt;
  /// Number of tasks, per worker of the pool, that are assigned before an idle
  /// worker that got none of them gets the next one. This task, a probe, renews
  /// the estimate for the worker. 0: no probes; default: 64.
  std::size_t probe_every = 64;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(estimate_options& options);

/// Returns an option whose value is `value`: the measured time of a task that
/// counts as its cost. Users give the value by its name, such as `cpu_time`.
LIBPOOL_EXPORT choice_option choice_of(measure& value);

} // namespace libpool
