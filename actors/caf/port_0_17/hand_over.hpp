#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

class tracked_element;

/// Shows a policy of the user's the message of a client that an outer pool has
/// sent: it begins. With CAF 0.17, `element` is that message from then on.
class hand_over {
public:
  /// Changes nothing if `element` is not of another pool.
  explicit hand_over(caf::mailbox_element_ptr& element);
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;
  ~hand_over();

  /// Whether there is a message to hand over: the outer pool may have taken it
  /// back.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// The policy has thrown.
  void failed(caf::mailbox_element_ptr&) noexcept {
    // nop
  }

  /// Whether a policy is throwing in this thread that was handed the element:
  /// one that is destroyed now was handled by no actor.
  static bool fails_with(const tracked_element& element) noexcept;

private:
  const tracked_element* tracked_;
  int exceptions_;
  bool was_taken_back_ = false;
  hand_over* outer_;
};

} // namespace libpool
