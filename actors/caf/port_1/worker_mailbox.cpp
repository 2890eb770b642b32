#include "libpool/actors/caf/port/worker_mailbox.hpp"

#include "libpool/actors/caf/exception_witness.hpp"
#include "libpool/actors/caf/port/hand_over.hpp"
#include "libpool/actors/caf/port/stand_in.hpp"
#include "libpool/actors/caf/port/stash.hpp"

#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

namespace {

/// Takes out the message if it is the last one that the actor has skipped.
bool take_skipped(caf::scheduled_actor& actor,
                  const caf::mailbox_element* message) noexcept {
  auto& skipped = stash_of(actor);
  auto* last = skipped.pop();
  if (last == message)
    return true;
  if (last != nullptr)
    skipped.push(last);
  return false;
}

} // namespace

worker_mailbox* worker_mailbox::of(caf::scheduled_actor& actor) noexcept {
  return dynamic_cast<worker_mailbox*>(&actor.mailbox());
}

tracked_element* tracked_element::handled_by(caf::local_actor& actor) noexcept {
  if (auto* scheduled = dynamic_cast<caf::scheduled_actor*>(&actor))
    if (auto* mailbox = worker_mailbox::of(*scheduled))
      return mailbox->handled();
  const auto* message = actor.current_mailbox_element();
  return message != nullptr ? element_behind(message->sender) : nullptr;
}

caf::intrusive::inbox_result
worker_mailbox::push_back(caf::mailbox_element_ptr element) {
  return default_mailbox::push_back(
    hand_over::claim(std::move(element), owner_));
}

/// Messages of a lease take turns with others, which came later.
caf::mailbox_element_ptr worker_mailbox::pop_front() {
  if (current_.of != nullptr)
    settle();
  for (;;) {
    if (next_of_lease_ == nullptr || is_turn_of_others_) {
      is_turn_of_others_ = false;
      if (auto next = default_mailbox::pop_front()) {
        auto* tracked = tracked_element::from(*next);
        if (tracked == nullptr)
          return next;
        tracked->came_home(std::move(next));
        if (auto message = give(*tracked))
          return message;
        continue;
      }
      if (next_of_lease_ == nullptr)
        return nullptr;
    }
    is_turn_of_others_ = true;
    if (auto message = give(*std::exchange(next_of_lease_, nullptr)))
      return message;
  }
}

bool worker_mailbox::try_block() {
  if (current_.of != nullptr)
    settle();
  return next_of_lease_ == nullptr && default_mailbox::try_block();
}

/// Whether CAF has closed it: it does that once.
bool worker_mailbox::closed() const noexcept {
  return default_mailbox::closed() && !was_shut_early_;
}

std::size_t worker_mailbox::close(const caf::error& reason) {
  return std::exchange(was_shut_early_, false)
           ? std::exchange(dropped_early_, 0)
           : drop_all(reason);
}

std::size_t worker_mailbox::size() {
  return default_mailbox::size() + (next_of_lease_ == nullptr ? 0 : 1);
}

void handler_has_thrown(caf::scheduled_actor& worker,
                        const std::exception_ptr& thrown) noexcept {
  if (auto* mailbox = worker_mailbox::of(worker))
    mailbox->handler_has_thrown(thrown);
}

void worker_mailbox::handler_has_thrown(
  const std::exception_ptr& thrown) noexcept {
  if (current_.of != nullptr)
    current_.of->has_thrown(*current_.message, thrown);
}

void take_over_answer(caf::scheduled_actor& worker) noexcept {
  if (auto* mailbox = worker_mailbox::of(worker))
    mailbox->take_over_answer();
}

void worker_mailbox::take_over_answer() noexcept {
  if (current_.of != nullptr)
    current_.of->take_over_answer(*current_.message);
}

void worker_mailbox::owner_ended() {
  if (is_shut())
    return;
  was_shut_early_ = true;
  stash first_comes_first;
  while (auto* skipped = stash_of(owner_).pop())
    first_comes_first.push(skipped);
  caf::detail::sync_request_bouncer bounce{caf::sec::request_receiver_down};
  while (auto* skipped = first_comes_first.pop()) {
    caf::mailbox_element_ptr dropped{skipped};
    bounce(*dropped);
    ++dropped_early_;
  }
  dropped_early_ += drop_all({});
}

/// The actor is done with the message that it has got last. If another element
/// is the next one of a lease, its pool has taken that one back.
void worker_mailbox::settle() {
  auto [tracked, message] = std::exchange(current_, given{});
  if (take_skipped(owner_, message))
    stash_of(owner_).push(
      tracked->skipped(caf::mailbox_element_ptr{message}).release());
  else if (!tracked->goes_on())
    tracked->over();
  else if (auto* before = std::exchange(next_of_lease_, tracked))
    before->over();
}

/// The client's message, if it is to be handled. Otherwise its pool is told.
caf::mailbox_element_ptr worker_mailbox::give(tracked_element& next) {
  auto message = next.begin_with_message();
  if (message == nullptr) {
    next.over();
    return nullptr;
  }
  witness_exceptions(owner_);
  current_ = {&next, message.get()};
  return message;
}

/// Shells that are destroyed tell their pools.
std::size_t worker_mailbox::drop_all(const caf::error& reason) {
  std::size_t dropped = 0;
  if (auto* last = std::exchange(current_, given{}).of)
    last->over();
  if (auto* next = std::exchange(next_of_lease_, nullptr)) {
    next->over();
    ++dropped;
  }
  return dropped + default_mailbox::close(reason);
}

} // namespace libpool
