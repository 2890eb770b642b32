#pragma once

#include <caf/execution_unit.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/monitorable_actor.hpp>

namespace port {

/// A worker at the speed of light: drops its messages.
class dropper final : public caf::monitorable_actor {
public:
  explicit dropper(caf::actor_config& cfg) : caf::monitorable_actor(cfg) {
    // nop
  }

  using caf::monitorable_actor::enqueue;

  void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {
    // nop
  }
};

} // namespace port
