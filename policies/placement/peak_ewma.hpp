#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/placement_options.hpp"
#include "libpool/policies/placement/random_placement.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Placement that draws two workers at random and chooses the worker with the
/// smaller product of latency and load. The load is the number of tasks in
/// flight plus 1. The latency is a moving average of the measured times of
/// tasks, which follows peaks: a larger time replaces the average immediately.
/// A smaller time has the weight 1 - exp(-t / `decay`), where t is the time
/// since the previous measurement. A worker that has become slow is therefore
/// avoided after one task, and used again gradually.
///
/// A crash counts as a latency of at least `failure_penalty`, so that a worker
/// whose tasks crash quickly does not attract tasks. Without new measurements,
/// the latency decays to `floor`, so that an avoided worker is tried again. A
/// worker without measurements has the latency `floor` while the worker is
/// idle, and `failure_penalty` otherwise, so that it gets one task first.
///
/// Source:     Finagle's "Peak EWMA" (Twitter), see also "Beyond Round Robin"
///             (Buoyant 2016).
/// Cost:       O(1).
/// Randomness: two draws per choice, from a seed.
class LIBPOOL_EXPORT peak_ewma final : public random_placement {
public:
  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit peak_ewma(const peak_ewma_options& options = {});

  void measured(worker& worker, task& task, ending ending, duration cost,
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
