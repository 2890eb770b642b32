#pragma once

#include <caf/anon_mail.hpp>
#include <caf/disposable.hpp>
#include <caf/event_based_response_handle.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_priority.hpp>
#include <caf/timespan.hpp>

#include <utility>

/// Sending of messages with CAF 1, as mail.
namespace port {

template <class Self, class Receiver, class... Ts>
auto request(const Self& self, const Receiver& receiver, caf::timespan timeout,
             Ts&&... content) {
  return self->mail(std::forward<Ts>(content)...).request(receiver, timeout);
}

/// Sends a request without a timeout, and calls `tell` with its number. Mail
/// does not tell the number, so the request is made by hand.
template <class Self, class Receiver, class F, class... Ts>
auto numbered_request(const Self& self, const Receiver& receiver, F tell,
                      Ts&&... content) {
  auto id = self->new_request_id(caf::message_priority::normal);
  receiver->enqueue(
    caf::make_mailbox_element(self->ctrl(), id, std::forward<Ts>(content)...),
    self->context());
  tell(id);
  return caf::event_based_response_handle<caf::message>{self, id.response_id(),
                                                        caf::disposable{}};
}

template <class Self, class Receiver, class... Ts>
void send(const Self& self, const Receiver& receiver, Ts&&... content) {
  self->mail(std::forward<Ts>(content)...).send(receiver);
}

template <class Self, class Receiver, class... Ts>
void delayed_send(const Self& self, const Receiver& receiver,
                  caf::timespan delay, Ts&&... content) {
  self->mail(std::forward<Ts>(content)...).delay(delay).send(receiver);
}

/// Sends a message without a sender.
template <class Receiver, class... Ts>
void anon_send(const Receiver& receiver, Ts&&... content) {
  caf::anon_mail(std::forward<Ts>(content)...).send(receiver);
}

} // namespace port
