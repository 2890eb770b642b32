#include "libpool/actors/caf/port/catch_all.hpp"

#include "libpool/actors/error.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <utility>

namespace libpool {

namespace {

/// A type of message that no other actor can send.
struct unknown_to_others {};

} // namespace

} // namespace libpool

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(libpool::unknown_to_others)

namespace libpool {

/// All messages are for the default handler; without a behavior the actor would
/// end.
caf::behavior
catch_all(caf::event_based_actor& self,
          std::function<caf::result<caf::message>(any_message&)> handler) {
  self.set_default_handler([handler = std::move(handler)](
                             caf::scheduled_actor*, any_message& message) {
    return handler(message);
  });
  return {[](const unknown_to_others&) {}};
}

} // namespace libpool
