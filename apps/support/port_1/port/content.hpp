#pragma once

#include <caf/mailbox_element.hpp>

namespace port {

/// The values of a message that a policy is about to dispatch.
inline const auto& content_of(caf::mailbox_element& element) {
  return element.payload;
}

} // namespace port
