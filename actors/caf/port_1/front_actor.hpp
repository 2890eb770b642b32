#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace libpool {

/// An actor without a mailbox: a message to it is handled at once, in the
/// thread that sends it, see `delivering`.
class front_actor : public caf::abstract_actor {
public:
  explicit front_actor(caf::actor_config& cfg) : caf::abstract_actor(cfg) {
    // nop
  }

  /// Called by CAF, which has metrics for mailboxes.
  void setup_metrics() {
    // nop
  }

  /// Why it has ended.
  /// @pre it has
  const caf::error& fail_state() const noexcept {
    return fail_state_;
  }

  /// Whether the last reference is gone. CAF makes another one while the actor
  /// ends, and by that others can have references from addresses: see `reach`.
  bool is_unreachable() const noexcept {
    return is_unreachable_;
  }

protected:
  /// The last reference is gone.
  virtual void unreachable() {
    // nop
  }

  void on_unreachable() final {
    unreachable();
    caf::abstract_actor::on_unreachable();
  }

private:
  /// Called before there is another reference.
  void force_close_mailbox() final {
    is_unreachable_ = true;
  }

  std::atomic<bool> is_unreachable_{false};
};

/// A `Base`, which is a front actor, whose messages go to `Derived::deliver`,
/// from any thread.
template <class Derived, class Base>
class delivering : public Base {
public:
  using Base::Base;

  bool enqueue(caf::mailbox_element_ptr element,
               execution_context* host) final {
    static_cast<Derived*>(this)->deliver(std::move(element), host);
    return true;
  }
};

/// The front actor of that address, if it can be reached still.
caf::strong_actor_ptr reach(const caf::actor_addr& front);

/// Sends a message of nobody.
void send_to(caf::abstract_actor& receiver, caf::message content,
             execution_context* host);

/// The name of an actor of this node; empty if it has none.
std::string short_name_of(const caf::abstract_actor& actor);

/// Whether CAF gives that name to all actors that have none of their own.
inline bool is_name_of_all(std::string_view name) {
  return name == "user.scheduled-actor" || name == "user.blocking-actor"
         || name == "user.local-actor";
}

/// Why the actor, which is dead, has ended.
caf::error fail_state_of(caf::abstract_actor& actor);

} // namespace libpool
