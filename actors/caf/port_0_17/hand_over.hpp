#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

class tracked_element;

/// Guard that shows the message of a client, which an outer pool has sent, to a
/// policy of the user. The message begins. With CAF 0.17, `element` itself
/// becomes the message of the client.
class hand_over {
public:
  /// Begins the message. Has no effect if `element` does not belong to another
  /// pool.
  explicit hand_over(caf::mailbox_element_ptr& element);
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;
  ~hand_over();

  /// Whether there is a message. False if the outer pool has recalled it.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// Must be called if the policy has thrown.
  void failed(caf::mailbox_element_ptr&) noexcept {
    // nop
  }

private:
  friend class tracked_element;

  const tracked_element* tracked_;
  int exceptions_;
  bool was_taken_back_ = false;
  hand_over* outer_;
};

} // namespace libpool
