#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/port/uplock.hpp"
#include "libpool/policies/turns.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace libpool {

/// List of the workers of a direct pool.
using actor_vec = std::vector<caf::actor>;

/// Policy of a direct pool: dispatches each message when the message arrives,
/// in the thread of the sender.
///
/// Threads: `dispatch` runs in many threads at the same time.
/// Errors:  if `dispatch` throws, the message is refused with
///          `errc::policy_failed`.
class direct_policy {
public:
  direct_policy() = default;
  direct_policy& operator=(const direct_policy&) = delete;
  virtual ~direct_policy() = default;

  /// Returns a copy of this policy in its initial state. Each pool has its own
  /// copy.
  virtual std::unique_ptr<direct_policy> clone() const = 0;

  /// Hands `element` to workers. `workers` is not empty and does not change
  /// during the call, and the workers in it stay alive, even if other threads
  /// change the pool. `turn` is the position in round robin, which all calls
  /// share. `host` is the execution unit of the sender; nullptr outside of the
  /// scheduler.
  virtual void dispatch(turns& turn, const actor_vec& workers,
                        caf::mailbox_element_ptr& element,
                        execution_context* host) = 0;

  /// Whether the policy may read messages, as functors of users do. False if
  /// the policy only passes messages on.
  virtual bool looks_at_messages() const noexcept {
    return true;
  }

  /// Dispatches a message for a functor that wraps this policy. `guard` is the
  /// guard of the functor, and is released before the message is passed on.
  virtual void dispatch_under(uplock& guard, turns& turn,
                              const actor_vec& workers,
                              caf::mailbox_element_ptr& element,
                              execution_context* host);

protected:
  /// Copy constructor for `clone`.
  direct_policy(const direct_policy&) = default;
};

/// Returns a policy for `actor_pool::round_robin`.
std::unique_ptr<direct_policy> make_round_robin();
/// Returns a policy for `actor_pool::random`, with draws from `seed`.
std::unique_ptr<direct_policy> make_random(std::uint64_t seed);
/// Returns a policy for `actor_pool::broadcast`.
std::unique_ptr<direct_policy> make_broadcast();

} // namespace libpool
