#pragma once

#include "libpool/live/json.hpp"
#include "libpool/live/watched.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace libpool::live {

/// State of all pools and pipelines of a view at one moment.
struct sight {
  std::uint64_t number = 0;
  instant at{};
  /// JSON for /api/v1/pools.
  std::string pools;
  /// JSON for the charts of the page, about the time since the sight before.
  std::string recent;
};

/// Takes samples of pools and pipelines for all viewers: at most twice a
/// second, and only if a viewer asks.
///
/// Threads: one. Pools may call functions of users in this thread.
class sampler {
public:
  explicit sampler(watched& shown) : shown_(shown) {
    // nop
  }

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
  };

  sight look_again(std::uint64_t number, instant now);
  void add(const std::shared_ptr<watched_pool>& pool, std::size_t most_runs,
           json& pools, json& recent);
  static json recent_of(const seen& before, const pool_sample& now);

  watched& shown_;
  std::map<std::string, seen> before_; // by name
  std::deque<sight> sights_;           // of the last minute
};

} // namespace libpool::live
