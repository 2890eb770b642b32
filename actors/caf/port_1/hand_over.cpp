#include "libpool/actors/caf/port/hand_over.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <utility>

namespace libpool {

hand_over::hand_over(caf::mailbox_element_ptr& element) : outer_(innermost_) {
  innermost_ = this;
  auto* tracked = tracked_element::from(*element);
  if (tracked == nullptr)
    return;
  tracked->came_home(std::move(element));
  element = tracked->begin_with_message();
  was_taken_back_ = element == nullptr;
  if (was_taken_back_) {
    tracked->over();
    return;
  }
  tracked_ = tracked;
  message_ = element.get();
}

hand_over::~hand_over() {
  innermost_ = outer_;
  if (tracked_ != nullptr)
    tracked_->over();
}

void hand_over::failed(caf::mailbox_element_ptr& element) {
  if (tracked_ == nullptr)
    return;
  if (element != nullptr && element.get() == message_)
    element = wrap(std::move(element));
  else
    tracked_->settled({outcome::refused, errc::policy_failed, {}});
}

caf::mailbox_element_ptr hand_over::claim_any(caf::mailbox_element_ptr element,
                                              caf::abstract_actor& worker) {
  for (auto* i = innermost_; i != nullptr; i = i->outer_)
    if (i->tracked_ != nullptr && i->message_ == element.get()) {
      i->tracked_->goes_to(worker);
      return i->wrap(std::move(element));
    }
  return element;
}

caf::mailbox_element_ptr hand_over::wrap(caf::mailbox_element_ptr message) {
  return std::exchange(tracked_, nullptr)->skipped(std::move(message));
}

} // namespace libpool
