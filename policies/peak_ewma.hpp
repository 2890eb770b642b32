#pragma once

#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/random_placement.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// The options of `peak_ewma`. Their bounds and meanings are in `options_in`,
/// and listed in docs/policies.md.
struct peak_ewma_options {
  std::uint64_t seed = 1;
  libpool::measure measure = libpool::measure::service_time;
  duration decay = std::chrono::seconds{10};
  duration floor = std::chrono::microseconds{1};
  duration failure_penalty = std::chrono::seconds{1};
};

std::vector<option> options_in(peak_ewma_options& options);

/// Of two workers drawn at random, the one with the smaller load: its latency
/// times one more than its tasks in flight. The latency follows the peaks: a
/// sample above it replaces it at once, others draw it down as time passes, by
/// 1/e within `decay`. So a worker that has become slow is left alone within
/// one task, and comes back bit by bit.
///
/// A failure counts as a latency of at least `failure_penalty`, so that failing
/// fast attracts nothing. Without samples the latency decays, down to `floor`:
/// a shunned worker is tried again. A worker of which nothing is known is tried
/// with one task first.
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
    double latency = 0; // in nanoseconds, as it was at the last sample
    instant sampled = never;
  };

  std::unique_ptr<record> make_record() const override;
  worker* pick(const std::vector<worker*>& some, instant now) noexcept override;

  double decayed(const latency_record& measured, instant now) const noexcept;
  double load(const worker& worker, instant now) const noexcept;

  peak_ewma_options options_;
};

} // namespace libpool
