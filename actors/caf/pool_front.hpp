#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/recorder.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace libpool {

/// The common interface of direct and managed pools: made, asked and ended
/// through this.
class pool_front : public watcher, public inner_pool {
public:
  using factory = std::function<caf::actor()>;

  using watcher::watcher;

  /// Whether it keeps messages until workers have room for them: if so it can
  /// be resized and drained.
  virtual bool is_managed() const noexcept = 0;

  /// Starts with `n` workers that the factory makes. If this throws the pool is
  /// to be stopped.
  virtual void populate(std::size_t n, const factory& make_worker) = 0;

  /// The state and the counts of the pool. From any thread.
  virtual pool_stats stats() = 0;

  /// The same without members.
  virtual pool_stats summary() = 0;

  /// What `actor_pool::record` and `recorded` say; not of direct pools.
  virtual void record(const recorder_limits& within) = 0;
  virtual recording recorded(instant since) = 0;

  /// Ends the pool and stops its workers; nothing if it has ended already.
  virtual void stop(const caf::error& reason, execution_context* host) = 0;
};

} // namespace libpool
