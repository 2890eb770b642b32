#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/recording.hpp"
#include "libpool/core/throttle.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace libpool {

/// Common interface of direct and managed pools, through which `actor_pool`
/// makes them, asks them and ends them.
class pool_front : public watcher, public inner_pool {
public:
  using factory = std::function<caf::actor()>;

  using watcher::watcher;

  /// Whether the pool keeps messages until workers have room for them. Only
  /// such pools can be resized and drained.
  virtual bool is_managed() const noexcept = 0;

  /// Starts the pool with `n` workers from the factory. If this throws, the
  /// caller must stop the pool.
  virtual void populate(std::size_t n, const factory& make_worker) = 0;

  /// Returns the state and the counters of the pool. Can be called from any
  /// thread.
  virtual pool_stats stats() = 0;

  /// Returns `stats()` without members.
  virtual pool_stats summary() = 0;

  /// Start and read the recording, see `actor_pool::record` and
  /// `actor_pool::recorded`. Direct pools do not support recordings.
  virtual void record(const recorder_limits& within) = 0;
  virtual recording recorded(instant since) = 0;

  /// Cancels messages, see `actor_pool::cancel`. Direct pools cancel none.
  virtual cancel_counts cancel(const selection& selection) = 0;

  /// Pause and resume the pool or a part of it, and limit its tasks, see
  /// `actor_pool`. Return an error if that is not possible. Direct pools do
  /// not support this.
  virtual caf::error pause(const pause_scope& scope) = 0;
  virtual caf::error resume(const pause_scope& scope) = 0;
  virtual caf::error set_limits(const throttles& within) = 0;

  /// Ends the pool and stops its workers. Does nothing if the pool has ended.
  virtual void stop(const caf::error& reason, execution_context* host) = 0;
};

} // namespace libpool
