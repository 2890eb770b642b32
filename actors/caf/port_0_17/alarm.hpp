#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/message_id.hpp>

namespace libpool {

/// Has a clock send an empty message to an actor, unless it is stopped before.
class alarm {
public:
  void set(caf::actor_clock& clock, instant when, const caf::actor& receiver) {
    clock.set_request_timeout(when,
                              caf::actor_cast<caf::abstract_actor*>(receiver),
                              caf::make_message_id(1).response_id());
  }

  void stop(caf::actor_clock& clock, const caf::actor& receiver) {
    clock.cancel_timeouts(caf::actor_cast<caf::abstract_actor*>(receiver));
  }
};

} // namespace libpool
