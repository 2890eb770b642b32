#include "libpool/actors/caf/port/hand_over.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

namespace libpool {

/// A policy that throws refuses the message: its exception is no crash of a
/// handler.
hand_over::hand_over(caf::mailbox_element_ptr& element) {
  auto* tracked = tracked_element::from(*element);
  if (tracked == nullptr)
    return;
  was_taken_back_ = !tracked->open();
  tracked->has_been_answered();
}

} // namespace libpool
