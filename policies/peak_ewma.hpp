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
  /// Seed of the random draws; default: 1.
  std::uint64_t seed = 1;
  /// Measured time of a task that is recorded as a latency; default: service
  /// time.
  libpool::measure measure = libpool::measure::service_time;
  /// Time after which the weight of a recorded latency has decayed to 1/e;
  /// above 0; default: 10 s.
  duration decay = std::chrono::seconds{10};
  /// Lower bound of the latency of a worker; above 0; default: 1 us.
  duration floor = std::chrono::microseconds{1};
  /// Minimum latency that is recorded for a crash; at least 0; default: 1 s.
  duration failure_penalty = std::chrono::seconds{1};
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(peak_ewma_options& options);

/// Placement that draws two workers at random and chooses the worker with the
/// smaller load. The load of a worker with n tasks in flight is n + 1, times
/// the latency of the worker. The latency is a moving average that follows the
/// peaks: a sample above the average replaces the average immediately, and a
/// smaller sample has the weight 1 - exp(-t / `decay`), where t is the time
/// since the previous sample. A worker that has become slow is therefore
/// avoided after one task, and used again gradually.
///
/// A crash counts as a latency of at least `failure_penalty`, so that a worker
/// whose tasks crash quickly does not attract tasks. Without new samples, the
/// latency decays to `floor`, so that an avoided worker is tried again. A
/// worker that has no sample yet has the latency `floor` while the worker is
/// idle, and `failure_penalty` otherwise, so that it gets one task first.
///
/// Source:     Finagle's "Peak EWMA" (Twitter), see also "Beyond Round Robin"
///             (Buoyant 2016).
/// Cost:       O(1).
/// Randomness: two draws per choice, from a seed.
class peak_ewma final : public random_placement {
public:
  /// Makes a placement that has no workers yet.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
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
