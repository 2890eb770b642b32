#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Which of the last samples speaks for all of them: their mean, or the one in
/// the middle, which outliers do not move.
enum class statistic : std::uint8_t { mean, median };

/// How many samples of each worker may count at most: some 0.5 MiB with means,
/// 2.5 MiB with medians.
constexpr std::size_t most_history = 65'536;

/// How large `probe_every` may be.
constexpr std::size_t most_probe_every = 1'000'000;

/// The options of placements by estimates, see `estimating_placement`. Their
/// bounds and meanings are in `options_in`, and listed in docs/policies.md.
struct estimate_options {
  std::size_t history = 386;
  libpool::statistic statistic = libpool::statistic::mean;
  libpool::measure measure = libpool::measure::service_time;
  std::optional<duration> initial_estimate = std::nullopt;
  std::size_t probe_every = 64;
};

std::vector<option> options_in(estimate_options& options);

/// One of the measures, by name.
choice_option choice_of(measure& value);

} // namespace libpool
