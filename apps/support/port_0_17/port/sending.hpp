#pragma once

#include <caf/duration.hpp>
#include <caf/send.hpp>

#include <utility>

/// Sending of messages with CAF 0.17, by functions of actors.
namespace port {

template <class Self, class Receiver, class Timeout, class... Ts>
auto request(const Self& self, const Receiver& receiver, Timeout timeout,
             Ts&&... content) {
  return self->request(receiver, timeout, std::forward<Ts>(content)...);
}

/// Sends a request without a timeout, and calls `tell` with its number.
template <class Self, class Receiver, class F, class... Ts>
auto numbered_request(const Self& self, const Receiver& receiver, F tell,
                      Ts&&... content) {
  auto handle = self->request(receiver, caf::infinite,
                              std::forward<Ts>(content)...);
  tell(handle.id());
  return handle;
}

template <class Self, class Receiver, class... Ts>
void send(const Self& self, const Receiver& receiver, Ts&&... content) {
  self->send(receiver, std::forward<Ts>(content)...);
}

template <class Self, class Receiver, class Delay, class... Ts>
void delayed_send(const Self& self, const Receiver& receiver, Delay delay,
                  Ts&&... content) {
  self->delayed_send(receiver, delay, std::forward<Ts>(content)...);
}

/// Sends a message without a sender.
template <class Receiver, class... Ts>
void anon_send(const Receiver& receiver, Ts&&... content) {
  caf::anon_send(receiver, std::forward<Ts>(content)...);
}

} // namespace port
