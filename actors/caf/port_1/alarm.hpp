#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/disposable.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

namespace libpool {

/// Has a clock send an empty message to an actor, unless it is stopped before.
class alarm {
public:
  void set(caf::actor_clock& clock, instant when, const caf::actor& receiver) {
    pending_ = clock.schedule_message(
      nullptr, caf::actor_cast<caf::strong_actor_ptr>(receiver), when,
      caf::make_message_id(), caf::message{});
  }

  void stop(caf::actor_clock&, const caf::actor&) {
    pending_.dispose();
  }

private:
  caf::disposable pending_;
};

} // namespace libpool
