#pragma once

#include <caf/behavior.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>
#include <caf/result.hpp>

#include <functional>
#include <utility>

namespace libpool {

/// Message that an actor has received.
using any_message = caf::message;

inline caf::message take_content(any_message& message) {
  return std::move(message);
}

/// Returns a behavior that passes messages of all types to `handler`, except
/// types that CAF handles itself.
caf::behavior
catch_all(caf::event_based_actor& self,
          std::function<caf::result<caf::message>(any_message&)> handler);

} // namespace libpool
