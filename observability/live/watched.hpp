#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/recording.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/line_history.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace libpool::live {

/// A pool that a view shows. The view does not keep it alive.
///
/// Threads: one at a time, except for constant members.
struct watched_pool {
  const std::string name;
  const caf::actor_addr address;
  const bool is_managed;
  const bool is_distributed;
  history past;

  /// Returns the pool; null if it has ended.
  caf::actor handle() const;

  /// Returns the state of the pool, which exists, at the time `now`.
  pool_sample look(const caf::actor& pool, instant now) const;

  /// Returns the state of the pool without its workers and nodes. Takes
  /// microseconds, for any number of workers.
  pool_sample glance(const caf::actor& pool, instant now) const;

  /// Returns the runs that the pool has recorded since then; empty if it has
  /// ended.
  recording recorded_since(instant since) const;
};

/// A pipeline that a view shows. The view does not keep it alive.
///
/// Threads: one at a time, except for constant members.
struct watched_pipeline {
  const std::string name;
  const caf::actor_addr address;
  line_history past;

  caf::actor handle() const;

  /// Returns the state of the pipeline, which exists, at the time `now`.
  static line_sample look(const caf::actor& line, instant now);
};

/// Pools and pipelines that a view shows.
///
/// Threads: any.
class watched {
public:
  /// Adds a pool, and starts its recording.
  ///
  /// Errors: std::invalid_argument, see `live_view::add`.
  void add(const caf::actor& pool, const std::string& name, duration recorded);
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  /// Return the pools or pipelines that exist, in the order in which they were
  /// added.
  std::vector<std::shared_ptr<watched_pool>> pools();
  std::vector<std::shared_ptr<watched_pipeline>> pipelines();

  /// Returns the pool with that name; nullptr if it is unknown or has ended.
  std::shared_ptr<watched_pool> pool(const std::string& name);

  void stop_recording();

private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<watched_pool>> pools_;
  std::vector<std::shared_ptr<watched_pipeline>> pipelines_;
};

/// Returns the workers as texts, by worker number.
std::map<worker_number, std::string>
names_of(const std::vector<member_stats>& members);

} // namespace libpool::live
