#pragma once

#include "libpool/live/json.hpp"
#include "libpool/live/watched.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
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
/// Threads: any. One thread takes a sample while others wait for the result. No
///          lock is held meanwhile, since pools may call functions of users in
///          that thread.
class sampler {
public:
  explicit sampler(watched& shown) : shown_(shown) {
    // nop
  }

  /// Returns the current sight, at most half a second old.
  std::shared_ptr<const sight> look();

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

  void end_look(const std::shared_ptr<const sight>& next);
  std::shared_ptr<const sight> look_again(std::uint64_t number, instant now);
  void add(const std::shared_ptr<watched_pool>& pool, std::size_t most_runs,
           json& pools, json& recent);
  static json recent_of(const seen& before, const pool_sample& now);

  watched& shown_;
  std::map<std::string, seen> before_; // by name; used by the thread that looks
  std::mutex mutex_;                   // protects the members below
  std::condition_variable has_looked_;
  bool is_looking_ = false;
  std::deque<std::shared_ptr<const sight>> sights_; // of the last minute
};

} // namespace libpool::live
