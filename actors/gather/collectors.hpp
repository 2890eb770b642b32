#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/gather_plan.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace libpool {

struct gather;

/// The pool that asks workers on behalf of collectors.
///
/// Threads: any.
class gather_owner {
public:
  /// The collector has answered the message, and needs no more results.
  /// `collector` is nullptr if the collector is being destroyed.
  virtual void decided(gather& message, caf::strong_actor_ptr collector,
                       execution_context* host) = 0;

  /// The votes want `more` further workers to be asked.
  virtual void wanted(gather& message, caf::strong_actor_ptr collector,
                      std::size_t more, execution_context* host) = 0;

protected:
  gather_owner() = default;
  gather_owner(const gather_owner&) = default;
  gather_owner& operator=(const gather_owner&) = default;
  ~gather_owner() = default;
};

/// The unused collectors of one pool. A collector that has served a message is
/// reused, so that few collectors are made in the long run.
///
/// Cost:    a mutex to take and to give back. At most 1024 unused collectors
///          are kept.
/// Threads: any.
class collectors {
public:
  /// `plan` makes the votes. Results are joined in the order of the parts if
  /// `ordered`. `told` is the managed pool that makes the requests, if any; it
  /// keeps `owner` alive.
  explicit collectors(std::shared_ptr<const gather_plan> plan,
                      bool ordered = false, caf::actor_addr told = nullptr,
                      gather_owner* owner = nullptr);

  /// Returns an unused collector, with the only reference to it; nullptr if
  /// there is none.
  caf::strong_actor_ptr take();

  /// Takes back a collector that has served its message. Other objects may
  /// still refer to it.
  void give_back(caf::strong_actor_ptr collector_handle);

  /// Drops the unused collectors, and keeps none from now on.
  void close();

  const gather_plan& plan() const noexcept {
    return *plan_;
  }

  bool are_ordered() const noexcept {
    return ordered_;
  }

  const caf::actor_addr& told() const noexcept {
    return told_;
  }

  /// Returns the owner.
  /// @pre the actor `told` exists
  gather_owner& owner() const noexcept {
    return *owner_;
  }

private:
  const std::shared_ptr<const gather_plan> plan_;
  const bool ordered_;
  const caf::actor_addr told_;
  gather_owner* const owner_;
  std::mutex mutex_;
  std::deque<caf::strong_actor_ptr> free_; // the oldest first
  bool closed_ = false;
};

} // namespace libpool
