#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// The statistic that represents the recent samples of a worker: their mean or
/// their median. Outliers do not move the median.
enum class statistic : std::uint8_t { mean, median };

/// Maximum of `history`, the number of samples kept of each worker: about 0.5
/// MiB per worker with means, 2.5 MiB with medians.
constexpr std::size_t most_history = 65'536;

/// Maximum of `probe_every`.
constexpr std::size_t most_probe_every = 1'000'000;

/// Options of placements that use estimates, see `estimating_placement`.
/// `options_in` states the meaning and the bounds of each option;
/// docs/policies.md lists them.
struct estimate_options {
  /// Number of the last samples of a worker that count; at least 1.
  std::size_t history = 386;
  /// Statistic of the samples that is the estimate.
  libpool::statistic statistic = libpool::statistic::mean;
  /// Time that is a sample.
  libpool::measure measure = libpool::measure::service_time;
  /// Estimate before there is a sample, above 0; unset: none, and such tasks
  /// spread evenly.
  std::optional<duration> initial_estimate = std::nullopt;
  /// An idle worker that was passed over this many times as often as there are
  /// workers gets the next task; 0: never.
  std::size_t probe_every = 64;
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(estimate_options& options);

/// Returns the option that selects a measure by name.
choice_option choice_of(measure& value);

} // namespace libpool
