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

/// Actor without a mailbox. A message to the actor is handled immediately, in
/// the thread of the sender, see `delivering`.
class front_actor : public caf::monitorable_actor {
public:
  using caf::monitorable_actor::monitorable_actor;

  void on_destroy() final {
    unreachable();
    caf::monitorable_actor::on_destroy();
  }

protected:
  /// Called when the last reference to the actor is gone.
  virtual void unreachable() {
    // nop
  }
};

/// Front actor that passes its messages to `Derived::deliver`. `Base` is
/// `front_actor` or a class derived from it. Messages can come from any thread.
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

/// Returns the front actor with the address; nullptr if the actor is
/// unreachable.
inline caf::strong_actor_ptr reach(const caf::actor_addr& front) {
  return caf::actor_cast<caf::strong_actor_ptr>(front);
}

/// Sends a message without a sender.
inline void send_to(caf::abstract_actor& receiver, caf::message content,
                    execution_context* host) {
  receiver.enqueue(nullptr, caf::make_message_id(), std::move(content), host);
}

/// Returns the name of an actor of this process; empty if the actor has no
/// name.
inline std::string short_name_of(const caf::abstract_actor& actor) {
  auto* named = dynamic_cast<const caf::monitorable_actor*>(&actor);
  return named != nullptr ? named->name() : "";
}

/// Whether `name` is a default name that CAF gives to actors without a name.
inline bool is_name_of_all(std::string_view name) {
  return name == "scheduled_actor" || name == "blocking_actor"
         || name == "actor" || name == "monitorable_actor";
}

/// Returns the exit reason of an actor that has ended.
inline caf::error fail_state_of(caf::abstract_actor& actor) {
  return static_cast<caf::monitorable_actor&>(actor).fail_state();
}

} // namespace libpool
