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

using actor_vec = std::vector<caf::actor>;

/// Dispatches each message at once, in its sender's thread.
///
/// Threads: `dispatch` runs in many threads at a time.
/// Errors:  what `dispatch` throws refuses the message with
///          `errc::policy_failed`.
class direct_policy {
public:
  direct_policy() = default;
  direct_policy& operator=(const direct_policy&) = delete;
  virtual ~direct_policy() = default;

  /// Another policy like this one, as it was in the beginning: each pool has
  /// one of its own.
  virtual std::unique_ptr<direct_policy> clone() const = 0;

  /// Hands `element` to workers, of which there is at least one. They stand
  /// still and stay alive for the whole call, while others change the pool;
  /// `turn` says which worker is next. `host` is where the sender runs, or
  /// nullptr if not in the scheduler.
  virtual void dispatch(turns& turn, const actor_vec& workers,
                        caf::mailbox_element_ptr& element,
                        execution_context* host) = 0;

  /// Whether it may look at messages, as functors of the user's do, and not
  /// only hand them on.
  virtual bool looks_at_messages() const noexcept {
    return true;
  }

  /// Dispatches for a functor that wraps this policy and holds a guard of its
  /// own, which is let go before the message is handed on.
  virtual void dispatch_under(uplock& guard, turns& turn,
                              const actor_vec& workers,
                              caf::mailbox_element_ptr& element,
                              execution_context* host);

protected:
  direct_policy(const direct_policy&) = default;
};

std::unique_ptr<direct_policy> make_round_robin();
std::unique_ptr<direct_policy> make_random(std::uint64_t seed);
std::unique_ptr<direct_policy> make_broadcast();

} // namespace libpool
