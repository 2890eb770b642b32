#pragma once

#include <caf/message_view.hpp>
#include <caf/others.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>

namespace port {

/// The last handler of a blocking actor: answers all other messages with an
/// error. Without it they would wait for a handler.
inline auto refuse_others() {
  return caf::others >> [](caf::message_view&) -> caf::result<caf::message> {
    return caf::sec::unexpected_message;
  };
}

} // namespace port
