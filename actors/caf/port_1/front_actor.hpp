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

/// Actor without a mailbox. A message to the actor is handled immediately, in
/// the thread of the sender, see `delivering`.
class front_actor : public caf::abstract_actor {
public:
  explicit front_actor(caf::actor_config& cfg) : caf::abstract_actor(cfg) {
    // nop
  }

  /// Called by CAF to set up metrics of the mailbox. A front actor has no
  /// mailbox.
  void setup_metrics() {
    // nop
  }

  /// Returns the exit reason of the actor.
  /// @pre the actor has ended
  const caf::error& fail_state() const noexcept {
    return fail_state_;
  }

  /// Whether the last reference to the actor is gone. While the actor ends, CAF
  /// holds a new reference, so that other threads could convert addresses to
  /// references; `reach` does not.
  bool is_unreachable() const noexcept {
    return is_unreachable_;
  }

protected:
  /// Called when the last reference to the actor is gone.
  virtual void unreachable() {
    // nop
  }

  void on_unreachable() final {
    unreachable();
    caf::abstract_actor::on_unreachable();
  }

private:
  /// Called by CAF before it makes the new reference.
  void force_close_mailbox() final {
    is_unreachable_ = true;
  }

  std::atomic<bool> is_unreachable_{false};
};

/// Front actor that passes its messages to `Derived::deliver`. `Base` is
/// `front_actor` or a class derived from it. Messages can come from any thread.
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

/// Returns the front actor with the address; nullptr if the actor is
/// unreachable.
caf::strong_actor_ptr reach(const caf::actor_addr& front);

/// Sends a message without a sender.
void send_to(caf::abstract_actor& receiver, caf::message content,
             execution_context* host);

/// Returns the name of an actor of this process; empty if the actor has no
/// name.
std::string short_name_of(const caf::abstract_actor& actor);

/// Whether `name` is a default name that CAF gives to actors without a name.
inline bool is_name_of_all(std::string_view name) {
  return name == "user.scheduled-actor" || name == "user.blocking-actor"
         || name == "user.local-actor";
}

/// Returns the exit reason of an actor that has ended.
caf::error fail_state_of(caf::abstract_actor& actor);

} // namespace libpool
