#pragma once

#include <caf/behavior.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>
#include <caf/message_view.hpp>
#include <caf/result.hpp>

#include <functional>

namespace libpool {

/// Message that an actor has received.
using any_message = caf::message_view;

inline caf::message take_content(any_message& message) {
  return message.move_content_to_message();
}

/// Returns a behavior that passes messages of all types to `handler`, except
/// types that CAF handles itself.
caf::behavior
catch_all(caf::event_based_actor& self,
          std::function<caf::result<caf::message>(any_message&)> handler);

} // namespace libpool
