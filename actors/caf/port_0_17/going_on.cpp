/// How a tracked element goes on with the messages of a lease.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/queued_element.hpp"

#include <caf/scheduled_actor.hpp>

#include <exception>
#include <utility>

namespace libpool {

void tracked_element::send(execution_context* host) noexcept {
  try {
    to_.actor->enqueue(caf::mailbox_element_ptr{this}, host);
  } catch (...) { // NOLINT(bugprone-empty-catch): the element tells
  }
}

caf::mailbox_element_ptr tracked_element::unload() noexcept {
  auto kept_sender = std::exchange(sender_, nullptr);
  if (element_ == nullptr)
    return nullptr;
  if (use_ == use::skipped || use_ == use::bounced) { // it was opened
    element_->sender = std::move(sender);
    element_->stages = std::move(stages);
  } else if (use_ == use::handled && keeps_message_) {
    element_->sender = std::move(kept_sender);
  }
  return std::move(element_);
}

/// Whether the handler has returned, here and now, and its worker goes on.
inline bool tracked_element::has_ended_plainly() const noexcept {
  return !is_empty_ && !is_dropped_ && !has_thrown_ && !inside_ && runs_here()
         && to_.scheduled->current_mailbox_element() == this && can_begin()
         && std::uncaught_exceptions() <= exceptions_ && has_result();
}

/// The message that was handled makes room for `message`.
inline void tracked_element::reload(caf::mailbox_element_ptr message) noexcept {
  replace_message(std::move(message));
  sender = nullptr;
  stages.clear();
  mid = caf::make_message_id();
  looks_ = 0;
  stage_.store(stage::queued, std::memory_order_release);
}

/// Takes the next message of the lease after the worker's handler has returned,
/// and puts the element into the worker's mailbox once more. Returns false if
/// the pool is to be told that the element has ended.
/// @pre it has started: else the pool may be taking it back
bool tracked_element::goes_on() noexcept {
  if (!has_ended_plainly())
    return false;
  ended_at_ = now();
  const auto* further = lease_->take_next(started_at(), ended_at_);
  if (further == nullptr)
    return false;
  auto message = further->take();
  auto* host = to_.scheduled->context();
  auto client_is_gone = has_lost_client(*message);
  reload(std::move(message)); // may be taken back from now on
  let_answer_pass(host);
  if (client_is_gone) {
    give_back(errc::not_needed);
    owner_.ended(*this, host);
  } else {
    send(host);
  }
  return true;
}

} // namespace libpool
