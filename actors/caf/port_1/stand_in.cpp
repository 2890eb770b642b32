#include "libpool/actors/caf/port/stand_in.hpp"

#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

namespace {

/// Whether the worker ended before it got the request. CAF reports this without
/// a sender.
bool is_unhandled(const caf::mailbox_element& answer) {
  auto& content = answer.payload;
  if (answer.sender != nullptr)
    return false;
  if (content.match_elements<caf::error>())
    return content.get_as<caf::error>(0) == caf::sec::request_receiver_down;
  return content.match_elements<caf::sec>()
         && content.get_as<caf::sec>(0) == caf::sec::request_receiver_down;
}

} // namespace

stand_in::stand_in(caf::actor_config& cfg, tracked_element& element,
                   return_path client)
  : delivering(cfg), element_(&element), client_(std::move(client)) {
  // nop
}

void stand_in::deliver(caf::mailbox_element_ptr&& answer,
                       execution_context* host) {
  if (!answer->mid.is_response())
    return;
  if (is_unhandled(*answer))
    return came_back();
  auto* element = take_element();
  pass_on(*answer, host);
  if (element != nullptr)
    element->was_answered();
}

/// The client hears from another worker.
void stand_in::came_back() {
  auto* element = take_element();
  if (element == nullptr)
    return;
  take_client();
  element->came_back();
}

bool stand_in::forget_element() noexcept {
  return take_element() != nullptr;
}

/// The last reference to the request is gone. A worker that blocks answers each
/// request that it handles, so a missing answer means that its handler has
/// thrown.
void stand_in::unreachable() {
  auto* element = take_element();
  auto has_crashed = element != nullptr && element->is_of_blocking_worker();
  auto client = take_client();
  if (client.id.is_request() && !has_crashed)
    libpool::answer(std::move(client), nullptr,
                    caf::make_message(dropped_request()), nullptr);
  if (element != nullptr)
    element->was_dropped(has_crashed);
  cleanup(caf::exit_reason::unreachable, nullptr);
}

tracked_element* stand_in::take_element() noexcept {
  std::lock_guard<std::mutex> guard{mutex_};
  return std::exchange(element_, nullptr);
}

tracked_element* stand_in::element() noexcept {
  std::lock_guard<std::mutex> guard{mutex_};
  return element_;
}

return_path stand_in::take_client() {
  std::lock_guard<std::mutex> guard{mutex_};
  return take_return_path(client_);
}

/// Passes the answer on as an actor answers: an empty answer is sent only for a
/// request.
void stand_in::pass_on(caf::mailbox_element& answer, execution_context* host) {
  auto client = take_client();
  if (client.id.is_request() || !answer.payload.empty())
    libpool::answer(std::move(client), std::move(answer.sender),
                    std::move(answer.payload), host);
}

caf::strong_actor_ptr make_stand_in(caf::actor_system& system,
                                    tracked_element& element,
                                    return_path client) {
  caf::actor_config cfg;
  return caf::make_actor<stand_in, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg, element,
    std::move(client));
}

tracked_element* element_behind(const caf::strong_actor_ptr& sender) noexcept {
  auto* asker = sender != nullptr ? dynamic_cast<stand_in*>(sender->get())
                                  : nullptr;
  return asker != nullptr ? asker->element() : nullptr;
}

// -- elements that are sent by a stand-in -------------------------------------

/// The content is shared, so that it can be sent to another worker if this one
/// ends before it gets the message.
void tracked_element::ask_by_stand_in(execution_context* host) {
  if (!begin())
    return over();
  note_given(true);
  auto& client = *message();
  auto id = caf::make_message_id(1);
  if (client.mid.is_urgent_message())
    id = id.with_high_priority();
  auto sender = make_stand_in(to_.actor->home_system(), *this,
                              return_path_of(client));
  stand_in_ = caf::actor_cast<caf::weak_actor_ptr>(sender);
  auto request = caf::make_mailbox_element(std::move(sender), id,
                                           client.payload);
  to_.actor->enqueue(std::move(request), host); // may be over by now
}

/// Unless the stand-in tells of the element, nothing does: it is over here.
bool tracked_element::abandon() noexcept {
  auto sender = stand_in_.lock();
  if (sender == nullptr
      || !static_cast<stand_in*>(sender->get())->forget_element())
    return false;
  use_ = find_use();
  task_ = nullptr;
  owner_.ended(*this, nullptr);
  return true;
}

} // namespace libpool
