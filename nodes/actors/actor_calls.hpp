#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

/// Returns a new actor, which is constructed with a config and `xs`.
template <class Actor, class... Ts>
caf::actor new_actor(caf::actor_system& system, Ts&&... xs) {
  caf::actor_config cfg;
  return caf::make_actor<Actor, caf::actor>(system.next_actor_id(),
                                            system.node(), &system, cfg,
                                            std::forward<Ts>(xs)...);
}

/// Calls `call` with the actor, unless it has ended.
template <class Actor, class Call>
void call_actor(const caf::actor_addr& address, Call call) {
  if (auto handle = reach(address))
    call(static_cast<Actor&>(*handle->get()));
}

/// Answers a message that `self` does not handle.
inline void refuse(caf::mailbox_element& element, caf::strong_actor_ptr self,
                   execution_context* host) {
  if (wants_answer(element))
    answer(take_return_path(element), std::move(self),
           caf::make_message(caf::make_error(caf::sec::unexpected_message)),
           host);
}

/// Receives calls for an actor while the actor lives, and does not keep it
/// alive.
template <class Actor, class Interface>
class actor_ear : public Interface {
public:
  explicit actor_ear(caf::actor_addr actor) : actor_(std::move(actor)) {
    // nop
  }

protected:
  template <class Call>
  void pass(Call call) const {
    call_actor<Actor>(actor_, std::move(call));
  }

private:
  const caf::actor_addr actor_;
};

} // namespace libpool
