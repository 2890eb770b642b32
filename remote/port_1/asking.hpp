#pragma once

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/anon_mail.hpp>
#include <caf/error.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <utility>

namespace libpool {

/// Sends a request, blocks until the result is there, and calls `keep` with it.
/// Returns the error if there is one: `sec::request_timeout` is the latest.
template <class Keep, class... Ts>
caf::error ask(caf::actor_system& system, const caf::actor& receiver,
               std::chrono::milliseconds timeout, Keep keep, Ts... content) {
  caf::error result;
  caf::scoped_actor self{system};
  self->mail(std::move(content)...)
    .request(receiver, timeout)
    .receive(keep, [&](caf::error& why) { result = std::move(why); });
  return result;
}

template <class... Ts>
void tell(const caf::actor& receiver, Ts... content) {
  caf::anon_mail(std::move(content)...).send(receiver);
}

} // namespace libpool
