#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/port/uplock.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/direct/turns.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace libpool {

/// List of the workers of a direct pool, in the order in which they joined.
using actor_vec = std::vector<caf::actor>;

/// Policy of a direct pool: sends each message to workers when the message
/// arrives, in the thread of the sender.
///
/// Threads: `dispatch` runs in many threads at the same time.
/// Errors:  if `dispatch` throws, the message is refused with
///          `errc::policy_failed`.
class LIBPOOL_EXPORT direct_policy {
public:
  direct_policy() = default;
  direct_policy& operator=(const direct_policy&) = delete;
  virtual ~direct_policy() = default;

  /// Returns a copy of this policy in its initial state. Each pool has its own
  /// copy.
  virtual std::unique_ptr<direct_policy> clone() const = 0;

  /// Sends the message `element` to one or more workers of the list `workers`.
  /// The list is not empty and does not change during the call, and its workers
  /// stay alive, even if other threads change the pool. `turn` is the position
  /// of round robin, which all calls share. `host` is the execution unit of the
  /// sender; nullptr outside of the scheduler.
  virtual void dispatch(turns& turn, const actor_vec& workers,
                        caf::mailbox_element_ptr& element,
                        execution_context* host) = 0;

  /// Whether the policy may read the content of messages, as a function object
  /// of the user may do. False if the policy only passes messages on.
  virtual bool looks_at_messages() const noexcept {
    return true;
  }

  /// Sends a message to workers for a function object that calls this policy.
  /// `guard` is the lock guard of the function object. The default
  /// implementation releases `guard`, and then calls `dispatch`.
  virtual void dispatch_under(uplock& guard, turns& turn,
                              const actor_vec& workers,
                              caf::mailbox_element_ptr& element,
                              execution_context* host);

protected:
  /// Copy constructor, for implementations of `clone`.
  direct_policy(const direct_policy&) = default;
};

/// Returns a policy that sends messages to the workers in turn, see
/// `actor_pool::round_robin`.
LIBPOOL_EXPORT std::unique_ptr<direct_policy> make_round_robin();
/// Returns a policy that sends each message to a worker drawn at random, see
/// `actor_pool::random`. `seed` is the seed of the draws.
LIBPOOL_EXPORT std::unique_ptr<direct_policy> make_random(std::uint64_t seed);
/// Returns a policy that sends each message to every worker, see
/// `actor_pool::broadcast`.
LIBPOOL_EXPORT std::unique_ptr<direct_policy> make_broadcast();

} // namespace libpool
