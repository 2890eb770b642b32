#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

class tracked_element;

/// Shows a policy of the user the client's message that an outer pool sent: the
/// message begins. With CAF 0.17, `element` itself becomes that message.
class hand_over {
public:
  /// Has no effect if `element` does not belong to another pool.
  explicit hand_over(caf::mailbox_element_ptr& element);
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;
  ~hand_over();

  /// Whether there is a message. False if the outer pool has recalled it.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// To be called if the policy has thrown.
  void failed(caf::mailbox_element_ptr&) noexcept {
    // nop
  }

  /// Whether a policy that was handed the element is throwing in this thread.
  /// If so, an element that is destroyed was handled by no actor.
  static bool fails_with(const tracked_element& element) noexcept;

private:
  const tracked_element* tracked_;
  int exceptions_;
  bool was_taken_back_ = false;
  hand_over* outer_;
};

} // namespace libpool
