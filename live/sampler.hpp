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

/// All that a view shows, at a moment.
struct sight {
  std::uint64_t number = 0;
  instant at{};
  /// For /api/v1/pools.
  std::string pools;
  /// What the page draws against time, of the time since the sight before.
  std::string recent;
};

/// Looks at pools and pipelines for all viewers: twice a second at most, and
/// only if one asks.
///
/// Threads: any; one looks, and others wait for what it sees. It looks without
///          a lock, since pools may call functions of users in that thread.
class sampler {
public:
  explicit sampler(watched& shown) : shown_(shown) {
    // nop
  }

  /// What there is to see; of the last half second.
  std::shared_ptr<const sight> look();

  /// What was seen in the last minute, a JSON array of `sight::recent`.
  std::string recent();

  /// How long a sight is new.
  static constexpr duration period = std::chrono::milliseconds{500};

private:
  /// What was seen of a pool before, by its name.
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
  std::map<std::string, seen> before_; // of the thread that looks
  std::mutex mutex_;                   // of what follows
  std::condition_variable has_looked_;
  bool is_looking_ = false;
  std::deque<std::shared_ptr<const sight>> sights_; // of a minute
};

} // namespace libpool::live
