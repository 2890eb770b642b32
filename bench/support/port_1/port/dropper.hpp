#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduler.hpp>

namespace port {

/// A worker at the speed of light: drops its messages.
class dropper final : public caf::abstract_actor {
public:
  explicit dropper(caf::actor_config& cfg) : caf::abstract_actor(cfg) {
    // nop
  }

  bool enqueue(caf::mailbox_element_ptr, caf::scheduler*) override {
    return true;
  }

  const char* name() const override {
    return "dropper";
  }

  /// Called by CAF, which has metrics for mailboxes.
  void setup_metrics() {
    // nop
  }

private:
  void force_close_mailbox() override {
    // nop: it has none
  }
};

} // namespace port
