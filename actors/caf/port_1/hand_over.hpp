#pragma once

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <utility>

namespace libpool {

class tracked_element;

/// Replaces the shell that an outer pool sent with the client's message, so
/// that a policy of the user sees the message. `element` is the message while
/// this object exists.
///
/// The message begins. If the policy sends it to a worker in this thread, the
/// worker gets the shell again, and the outer pool is told of the end. In any
/// other case the message ends with this object.
class hand_over {
public:
  /// Has no effect if `element` is not a shell.
  explicit hand_over(caf::mailbox_element_ptr& element);
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;
  ~hand_over();

  /// Whether there is a message. False if the outer pool has recalled it.
  explicit operator bool() const noexcept {
    return !was_taken_back_;
  }

  /// To be called if the policy has thrown. Makes `element` the shell again, if
  /// it is left.
  void failed(caf::mailbox_element_ptr& element);

  /// Returns the element that is put into the mailbox of `worker` in place of
  /// `element`.
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
