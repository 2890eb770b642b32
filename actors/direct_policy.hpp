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

/// The workers of a direct pool.
using actor_vec = std::vector<caf::actor>;

/// Dispatches each message on arrival, in the sender's thread.
///
/// Threads: `dispatch` runs in many threads at the same time.
/// Errors:  if `dispatch` throws, the message is refused with
///          `errc::policy_failed`.
class direct_policy {
public:
  direct_policy() = default;
  direct_policy& operator=(const direct_policy&) = delete;
  virtual ~direct_policy() = default;

  /// Returns a new policy like this one, in its initial state. Each pool has
  /// its own.
  virtual std::unique_ptr<direct_policy> clone() const = 0;

  /// Hands `element` to workers. `workers` is not empty and constant during the
  /// call, and its workers stay alive, even if other threads change the pool.
  /// `turn` tells the next worker. `host` is the sender's execution unit;
  /// nullptr outside of the scheduler.
  virtual void dispatch(turns& turn, const actor_vec& workers,
                        caf::mailbox_element_ptr& element,
                        execution_context* host) = 0;

  /// Whether the policy may read messages, as functors of users do, instead of
  /// only passing them on.
  virtual bool looks_at_messages() const noexcept {
    return true;
  }

  /// Dispatches for a functor that wraps this policy and holds a guard of its
  /// own. The guard is released before the message is passed on.
  virtual void dispatch_under(uplock& guard, turns& turn,
                              const actor_vec& workers,
                              caf::mailbox_element_ptr& element,
                              execution_context* host);

protected:
  /// Copies what all direct policies have.
  direct_policy(const direct_policy&) = default;
};

/// Returns the policy `round_robin`.
std::unique_ptr<direct_policy> make_round_robin();
/// Returns the policy `random`, with draws from `seed`.
std::unique_ptr<direct_policy> make_random(std::uint64_t seed);
/// Returns the policy `broadcast`.
std::unique_ptr<direct_policy> make_broadcast();

} // namespace libpool
