#pragma once

#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/random_placement.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Options of `peak_ewma`. `options_in` states the meaning and the bounds of
/// each option; docs/policies.md lists them.
struct peak_ewma_options {
  /// Seed of the random draws.
  std::uint64_t seed = 1;
  /// Time that is a latency.
  libpool::measure measure = libpool::measure::service_time;
  /// Time after which a latency counts 1/e; above 0.
  duration decay = std::chrono::seconds{10};
  /// Minimum of the latency of a worker; above 0.
  duration floor = std::chrono::microseconds{1};
  /// Minimum latency that is recorded for a crash; at least 0.
  duration failure_penalty = std::chrono::seconds{1};
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(peak_ewma_options& options);

/// Placement that draws two workers at random and chooses the one with the
/// smaller load: its latency times one more than its number of tasks in flight.
/// The latency follows the peaks: a sample above the latency replaces it
/// immediately; a smaller sample counts 1 - exp(-t / `decay`), where t is the
/// time since the previous sample. A worker that has become slow is therefore
/// avoided after one task, and used again gradually.
///
/// A crash counts as a latency of at least `failure_penalty`, so that failing
/// fast does not attract tasks. Without samples the latency decays to `floor`,
/// so that an avoided worker is tried again. A worker without any sample gets
/// one task first.
///
/// Source:     Finagle's "Peak EWMA" (Twitter), see also "Beyond Round Robin"
///             (Buoyant 2016).
/// Cost:       O(1).
/// Randomness: two draws per choice, from a seed.
class peak_ewma final : public random_placement {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit peak_ewma(const peak_ewma_options& options = {});

  void measured(worker& worker, task& task, ending how, duration cost,
                instant now) noexcept override;
  std::optional<measure> measures() const noexcept override;

private:
  struct latency_record : record {
    double latency = 0; // in nanoseconds, at the last sample
    instant sampled = never;
  };

  std::unique_ptr<record> make_record() const override;
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;

  double decayed(const latency_record& measured, instant now) const noexcept;
  double load(const worker& worker, instant now) const noexcept;

  peak_ewma_options options_;
};

} // namespace libpool
