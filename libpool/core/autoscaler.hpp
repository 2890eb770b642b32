#pragma once

#include "libpool/core/autoscale.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace libpool {

/// Load of a pool at one moment. Counts and sums are those since the pool was
/// made.
struct pool_load {
  /// Number of tasks that have arrived.
  std::uint64_t arrived = 0;
  /// Number of handler runs that have ended.
  std::uint64_t ended = 0;
  /// Sum of the service times of these runs.
  duration busy_time{0};
  /// Times from acceptance to start.
  const histogram* waits = nullptr;
  /// Number of tasks that wait, and that a further worker could begin.
  std::uint64_t waiting = 0;
  /// Acceptance time of the next of these tasks; `never` if none waits.
  instant oldest = never;
  /// Number of serving workers.
  std::size_t workers = 0;
  /// Number of tasks that these workers can run at the same time.
  std::size_t slots = 0;
  /// Number of serving workers that have tasks.
  std::size_t busy = 0;
  /// Whether a worker has room for a task.
  bool has_room = false;
  /// Whether a user has paused the pool, so that waits say nothing.
  bool is_paused = false;
  /// Whether the pool drains.
  bool drains = false;
};

/// Decides how many workers a pool wants, from its load.
///
/// Once in each interval, the number is arrival rate × mean service time ÷ 0.8
/// (Little's law, with one fifth of the workers in reserve), measured over as
/// many recent intervals as have 64 arrivals, within the last cooldown and the
/// last 1000 intervals. If the 95th percentile of the waits in the interval, or
/// the wait of the next task, is above the target, and no worker had room, the
/// number is at least one more, and as many more as would work the waiting
/// tasks off in one interval. It grows at once, to at most twice the number of
/// the interval before. It falls by one in an interval, after fewer workers
/// were enough for the cooldown, but never below the number of busy workers.
/// While a pool is paused, the number stays; while it drains, it does not fall.
///
/// A message that waits in a pool that wants no worker makes it want one at
/// once, but only once in an interval. After a growth, waits count again when
/// new workers had the time to start.
///
/// Cost:    O(1) between intervals, else O(cooldown ÷ interval + buckets of a
///          histogram).
/// Threads: one at a time.
class LIBPOOL_EXPORT autoscaler {
public:
  /// Makes an object that has seen no load.
  /// @pre `objection_to(rule)` is unset
  explicit autoscaler(const autoscale& rule) : rule_(rule) {
    // nop
  }

  /// Returns the bounds and targets.
  const autoscale& rule() const noexcept {
    return rule_;
  }

  /// Records that a new worker needs the time `startup` until it can begin
  /// tasks; the last time counts.
  void starts_in(duration startup) noexcept;

  /// Returns the number of workers that the pool wants at the time `now`.
  /// `wanted`: the number that it has wanted until now. After each interval,
  /// the result is from `least` to `most`, also if `wanted` is not.
  std::size_t decide(const pool_load& load, std::size_t wanted, instant now);

  /// Returns the time at which `decide` must be called again; `never` if the
  /// number cannot change before the load does.
  instant next(const pool_load& load, std::size_t wanted) const noexcept;

  /// Whether `decide` would look at the load of an interval at the time `now`.
  bool is_due(instant now) const noexcept {
    return samples_.empty() || now - samples_.back().taken >= rule_.interval;
  }

  /// Returns the reason for the number that was decided last, such as "p95 of
  /// waits 80 ms > 20 ms".
  const std::string& why() const noexcept {
    return why_;
  }

private:
  struct sample {
    instant taken;
    std::uint64_t arrived;
    std::uint64_t ended;
    duration busy_time;
  };

  struct demand {
    double per_second = 0;
    duration service{0};
  };

  bool is_idle(const pool_load& load, std::size_t wanted) const noexcept;
  void begin(const pool_load& load, instant now);
  void add_sample(const pool_load& load, instant now);
  demand demand_of(const pool_load& load, instant now);
  duration long_wait(const pool_load& load, instant now) const;
  std::size_t after_interval(const pool_load& load, std::size_t wanted,
                             instant now);
  std::size_t grown(std::size_t needed, std::size_t wanted, std::string why,
                    instant now);
  std::size_t shrunk(std::size_t needed, std::size_t wanted, std::string why,
                     bool drains, instant now);

  const autoscale rule_;
  std::deque<sample> samples_; // the last one is that of the last decision
  histogram waits_;            // at the last decision
  duration service_{0};        // mean, as measured last
  duration startup_{0};
  instant started_ = instant::min();     // new workers can have begun tasks
  instant first_again_ = instant::min(); // a first worker can be made
  instant low_since_ = never;            // fewer workers are enough
  bool was_idle_ = false; // nothing to decide before the load changes
  bool was_full_ = false; // a task waited in this interval, no worker had room
  std::string why_ = "no load yet";
};

} // namespace libpool
