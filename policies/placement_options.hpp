#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/placement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// Which of the last samples speaks for all of them: their mean, or the one in
/// the middle, which outliers do not move.
enum class statistic : std::uint8_t { mean, median };

/// How many samples of each worker may count at most: some 0.5 MiB with means,
/// 2.5 MiB with medians.
constexpr std::size_t most_history = 65'536;

/// What placements can be told, all within its bounds. Each takes what the
/// catalogue lists for it.
struct placement_options {
  /// How many of a worker's last samples count; at least 1, at most
  /// `most_history`.
  std::size_t history = 386;
  libpool::statistic statistic = libpool::statistic::mean;
  /// What a sample is.
  libpool::measure measure = libpool::measure::service_time;
  /// What a task is taken to cost before there is a sample; above 0. Without
  /// it, such tasks are taken to cost nothing, and spread evenly.
  std::optional<duration> initial_estimate = std::nullopt;
  /// A worker with nothing to do that was passed over this many times as often
  /// as there are workers gets the next task, so that one slow sample shuns
  /// nobody for ever; 0: never.
  std::size_t probe_every = 64;
  /// Of the random draws.
  std::uint64_t seed = 1;
  /// How fast what was seen is forgotten: after this long it counts 1/e.
  duration decay = std::chrono::seconds{10};
  /// The least that a worker's latency is taken to be; above 0.
  duration floor = std::chrono::microseconds{1};
  /// The latency that a failure counts as.
  duration failure_penalty = std::chrono::seconds{1};
  /// How much more than the mean a worker may have in flight; above 1.
  double balance = 1.25;
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const placement_options& options);

} // namespace libpool
