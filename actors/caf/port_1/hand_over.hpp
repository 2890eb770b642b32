#pragma once

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <utility>

namespace libpool {

class tracked_element;

/// Guard that shows the message of a client, which an outer pool has sent in a
/// shell, to a policy of the user. `element` is the message of the client while
/// this object exists.
///
/// The message begins. If the policy sends the message to a worker in this
/// thread, the worker gets the shell, and reports the end of the message to the
/// outer pool. Otherwise the message ends with this object.
class hand_over {
public:
  /// Replaces `element` by the message. Has no effect if `element` is not a
  /// shell.
  explicit hand_over(caf::mailbox_element_ptr& element);
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;
  ~hand_over();

  /// Whether there is a message. False if the outer pool has recalled it.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// Must be called if the policy has thrown. Makes `element` the shell again,
  /// if the policy has not moved `element`.
  void failed(caf::mailbox_element_ptr& element);

  /// Returns the element that must be put into the mailbox of `worker` in place
  /// of `element`: the shell, or `element` if it is not in a shell.
  static caf::mailbox_element_ptr claim(caf::mailbox_element_ptr element,
                                        caf::abstract_actor& worker) {
    return innermost_ == nullptr ? std::move(element)
                                 : claim_any(std::move(element), worker);
  }

private:
  static caf::mailbox_element_ptr claim_any(caf::mailbox_element_ptr element,
                                            caf::abstract_actor& worker);
  caf::mailbox_element_ptr wrap(caf::mailbox_element_ptr message);

  tracked_element* tracked_ = nullptr;
  const caf::mailbox_element* message_ = nullptr;
  bool was_taken_back_ = false;
  hand_over* outer_ = nullptr;
  inline static thread_local hand_over* innermost_ = nullptr;
};

} // namespace libpool
