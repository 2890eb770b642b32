#pragma once

#include "libpool/observability/live/json.hpp"
#include "libpool/observability/live/watched.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace libpool::live {

/// State of all pools and pipelines of a view at one moment.
struct sight {
  std::uint64_t number = 0;
  instant at{};
  /// JSON for /api/v1/pools; empty if the sight is a summary.
  std::string pools;
  /// JSON for the charts of the page, about the time since the sight before.
  std::string recent;
};

/// Takes samples of pools and pipelines for all viewers, at most twice a second
/// if viewers ask; for later viewers, it keeps a summary each second.
///
/// Memory:  the last 120 sights, and the last ten seconds of each pool.
/// Threads: one. Pools may call functions of users in this thread.
class sampler {
public:
  using clock = std::function<instant()>;

  /// `now`: the time, in the place of std::chrono::steady_clock.
  explicit sampler(watched& shown, clock now = std::chrono::steady_clock::now)
    : shown_(shown), now_(std::move(now)) {
    // nop
  }

  /// Keeps the figures of the pools, without workers and runs, if the last
  /// sight is about a second old. To be called once a second.
  void keep();

  /// Returns the current sight, at most half a second old. Valid until the next
  /// call.
  const sight& look();

  /// Returns the sights of the last minute, as a JSON array of `sight::recent`.
  std::string recent();

  /// Time for which a sight is current.
  static constexpr duration period = std::chrono::milliseconds{500};

private:
  /// Previous values of a pool.
  struct seen {
    instant at{};
    ledger tasks;
    std::uint64_t error_answers = 0;
    /// Time until which runs were looked at.
    instant runs_until{};
  };

  sight& next_sight(instant now);
  void look_again(sight& sight);
  void add(watched_pool& pool, instant time, std::size_t most_runs, json& pools,
           json& recent);
  void add_summary(watched_pool& pool, instant time, json& recent);
  json pipelines_json(instant time);
  void forget_gone(const std::vector<std::shared_ptr<watched_pool>>& shown);
  static json recent_of(const seen& before, const pool_sample& now);

  watched& shown_;
  const clock now_;
  std::map<std::string, seen> before_; // by name
  std::deque<sight> sights_;           // of the last minute
};

} // namespace libpool::live
