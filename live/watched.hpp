#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/recorder.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/live/history.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace libpool::live {

/// A pool that a view shows, which does not keep it alive.
///
/// Threads: one at a time, but for what is constant.
struct watched_pool {
  const std::string name;
  const caf::actor_addr address;
  const bool is_managed;
  const bool is_distributed;
  history past;

  /// No actor once the pool is gone.
  caf::actor handle() const;

  /// Looks at the pool, which is there.
  pool_sample look(const caf::actor& pool) const;

  /// What it has recorded of this time; nothing if it is gone.
  recording recorded_since(instant since) const;
};

/// A pipeline that a view shows, which does not keep it alive.
struct watched_pipeline {
  const std::string name;
  const caf::actor_addr address;

  caf::actor handle() const;
};

/// What a view shows.
///
/// Threads: any.
class watched {
public:
  /// Errors: std::invalid_argument, see `live_view::add`.
  void add(const caf::actor& pool, const std::string& name, duration recorded);
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  /// Those that are not gone, in the order in which they were added.
  std::vector<std::shared_ptr<watched_pool>> pools();
  std::vector<std::shared_ptr<watched_pipeline>> pipelines();

  /// nullptr if there is none of that name, or it is gone.
  std::shared_ptr<watched_pool> pool(const std::string& name);

  void stop_recording();

private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<watched_pool>> pools_;
  std::vector<std::shared_ptr<watched_pipeline>> pipelines_;
};

/// Returns the workers in words, by their numbers.
std::map<worker_number, std::string>
names_of(const std::vector<member_stats>& members);

} // namespace libpool::live
