#include "libpool/actors/caf/port/catch_all.hpp"

#include <caf/event_based_actor.hpp>

namespace libpool {

caf::behavior
catch_all(caf::event_based_actor&,
          std::function<caf::result<caf::message>(any_message&)> handler) {
  return {[handler = std::move(handler)](caf::message message)
            -> caf::result<caf::message> { return handler(message); }};
}

} // namespace libpool
