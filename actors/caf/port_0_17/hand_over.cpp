#include "libpool/actors/caf/port/hand_over.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <exception>

namespace libpool {

namespace {

thread_local hand_over* innermost = nullptr;

} // namespace

/// A policy that throws refuses the message. Its exception is not a crash of a
/// handler.
hand_over::hand_over(caf::mailbox_element_ptr& element)
  : tracked_(tracked_element::from(*element)),
    exceptions_(std::uncaught_exceptions()),
    outer_(innermost) {
  innermost = this;
  auto* tracked = tracked_element::from(*element);
  if (tracked == nullptr)
    return;
  was_taken_back_ = !tracked->open();
  tracked->has_been_answered();
}

hand_over::~hand_over() {
  innermost = outer_;
}

bool tracked_element::is_failed_by_policy() const noexcept {
  auto* i = innermost;
  while (i != nullptr && i->tracked_ != this)
    i = i->outer_;
  return i != nullptr && std::uncaught_exceptions() > i->exceptions_;
}

} // namespace libpool
