#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/monitorable_actor.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace libpool {

/// An actor without a mailbox: a message to it is handled at once, in the
/// thread that sends it, see `delivering`.
class front_actor : public caf::monitorable_actor {
public:
  using caf::monitorable_actor::monitorable_actor;

  void on_destroy() final {
    unreachable();
    caf::monitorable_actor::on_destroy();
  }

protected:
  /// The last reference is gone.
  virtual void unreachable() {
    // nop
  }
};

/// A `Base`, which is a front actor, whose messages go to `Derived::deliver`,
/// from any thread.
template <class Derived, class Base>
class delivering : public Base {
public:
  using Base::Base;
  using Base::enqueue;

  void enqueue(caf::mailbox_element_ptr element,
               execution_context* host) final {
    static_cast<Derived*>(this)->deliver(std::move(element), host);
  }
};

/// The front actor of that address, if it can be reached still.
inline caf::strong_actor_ptr reach(const caf::actor_addr& front) {
  return caf::actor_cast<caf::strong_actor_ptr>(front);
}

/// Sends a message of nobody.
inline void send_to(caf::abstract_actor& receiver, caf::message content,
                    execution_context* host) {
  receiver.enqueue(nullptr, caf::make_message_id(), std::move(content), host);
}

/// The name of an actor of this node; empty if it has none.
inline std::string short_name_of(const caf::abstract_actor& actor) {
  auto* named = dynamic_cast<const caf::monitorable_actor*>(&actor);
  return named != nullptr ? named->name() : "";
}

/// Whether CAF gives that name to all actors that have none of their own.
inline bool is_name_of_all(std::string_view name) {
  return name == "scheduled_actor" || name == "blocking_actor"
         || name == "actor" || name == "monitorable_actor";
}

/// Why the actor, which is dead, has ended.
inline caf::error fail_state_of(caf::abstract_actor& actor) {
  return static_cast<caf::monitorable_actor&>(actor).fail_state();
}

} // namespace libpool
