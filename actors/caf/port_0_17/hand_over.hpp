#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Shows a policy of the user's the message of a client that an outer pool has
/// sent. With CAF 0.17, `element` does that by itself.
class hand_over {
public:
  explicit hand_over(caf::mailbox_element_ptr&) noexcept {
    // nop
  }

  /// Whether there is a message to hand over.
  explicit operator bool() const noexcept {
    return true;
  }

  /// The policy has thrown.
  void failed(caf::mailbox_element_ptr&) noexcept {
    // nop
  }
};

} // namespace libpool
