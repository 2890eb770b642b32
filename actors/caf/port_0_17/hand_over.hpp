#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Shows a policy of the user's the message of a client that an outer pool has
/// sent: it begins. With CAF 0.17, `element` is that message from then on.
class hand_over {
public:
  /// Changes nothing if `element` is not of another pool.
  explicit hand_over(caf::mailbox_element_ptr& element);

  /// Whether there is a message to hand over: the outer pool may have taken it
  /// back.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// The policy has thrown.
  void failed(caf::mailbox_element_ptr&) noexcept {
    // nop
  }

private:
  bool was_taken_back_ = false;
};

} // namespace libpool
