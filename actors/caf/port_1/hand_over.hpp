#pragma once

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <utility>

namespace libpool {

class tracked_element;

/// Shows a policy of the user's the message of a client in place of the shell
/// that an outer pool has sent: `element` is that message for as long as this
/// exists. It begins, and a worker that the policy sends it to in this thread
/// gets the shell again, so that the outer pool is told of its end. Anything
/// else that the policy does with it is its end.
class hand_over {
public:
  /// Changes nothing if `element` is no shell.
  explicit hand_over(caf::mailbox_element_ptr& element);
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;
  ~hand_over();

  /// Whether there is a message to hand over: the outer pool may have taken it
  /// back.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// The policy has thrown: `element`, if it is left, is the shell again.
  void failed(caf::mailbox_element_ptr& element);

  /// The element that is put into the mailbox of `worker` in the place of this
  /// one.
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
