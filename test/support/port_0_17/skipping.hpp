#pragma once

#include "support/port/actors.hpp"

#include <caf/message_view.hpp>
#include <caf/others.hpp>
#include <caf/skip.hpp>

#include <memory>

namespace test {

/// Whether workers with typed handles can skip messages that they have a
/// handler for.
constexpr bool typed_workers_skip = true;

/// The handler of `T` that `at` is: `at->skips(x)` says whether the actor skips
/// it, `at->handle(self, x)` handles it.
template <class T, class Self, class State>
auto handler_of(Self& self, const std::shared_ptr<State>& at) {
  using result = decltype(at->handle(self, std::declval<const T&>()));
  return [&self, at](const T& x) -> result {
    if (at->skips(x))
      return caf::skip();
    return at->handle(self, x);
  };
}

/// Has messages without a handler go to `at->strange()`.
template <class Self, class State>
void handle_strange(Self& self, const std::weak_ptr<State>& at) {
  self.set_default_handler(
    [at](caf::scheduled_actor*, caf::message_view&) -> unhandled_result {
      auto state = at.lock();
      return state != nullptr ? state->strange()
                              : caf::error{caf::sec::unexpected_message};
    });
}

/// The behavior of an actor for which `at` handles each `T`; `fs` are further
/// handlers.
template <class T, class Self, class State, class... Fs>
typename Self::behavior_type
behavior_with(Self& self, const std::shared_ptr<State>& at, Fs... fs) {
  handle_strange(self, std::weak_ptr<State>{at});
  return {handler_of<T>(self, at), std::move(fs)...};
}

/// Has a blocking actor receive as long as `goes_on`, likewise.
template <class T, class Self, class State, class... Fs>
void receive_with(Self& self, const std::shared_ptr<State>& at, bool& goes_on,
                  bool expects_strange, Fs... fs) {
  auto strange = [at](caf::message_view&) -> unhandled_result {
    return at->strange();
  };
  if (expects_strange)
    self.receive_while(goes_on)(handler_of<T>(self, at), std::move(fs)...,
                                caf::others >> strange);
  else
    self.receive_while(goes_on)(handler_of<T>(self, at), std::move(fs)...);
}

} // namespace test
