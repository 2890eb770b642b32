#pragma once

#include "support/port/actors.hpp"

#include <caf/message.hpp>
#include <caf/others.hpp>
#include <caf/skip.hpp>
#include <caf/statically_typed.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace test {

/// Whether workers with typed handles can skip messages that they have a
/// handler for.
constexpr bool typed_workers_skip = false;

/// The result of a handler as one of a handler of any messages.
template <class T>
unhandled_result as_unhandled(caf::result<T> result) {
  return std::visit(
    [](auto& x) -> unhandled_result {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>,
                                   caf::delegated<T>>)
        return caf::delegated<caf::message>{};
      else
        return std::move(x);
    },
    result.get_data());
}

/// What an actor does with messages for which it has no handler: only those can
/// be skipped. `at->skips(x)` says whether a `T` is, `at->handle(self, x)`
/// handles it. Others go to `strange`.
template <class T, class Self, class State, class Strange>
unhandled_result handle_any(Self& self, State& at, caf::message& message,
                            Strange strange) {
  if (!message.match_elements<T>())
    return strange();
  const auto& x = message.get_as<T>(0);
  if (at.skips(x))
    return caf::skip;
  return as_unhandled(at.handle(self, x));
}

/// The behavior of an actor for which `at` handles each `T`; `fs` are further
/// handlers. Other messages go to `at->strange()`.
template <class T, class Self, class State, class... Fs>
typename Self::behavior_type
behavior_with(Self& self, const std::shared_ptr<State>& at, Fs... fs) {
  self.set_default_handler(
    [&self, weak = std::weak_ptr<State>{at}](
      caf::scheduled_actor*, caf::message& message) -> unhandled_result {
      auto state = weak.lock();
      if (state == nullptr)
        return caf::error{caf::sec::unexpected_message};
      auto strange = [&]() -> unhandled_result { return state->strange(); };
      return handle_any<T>(self, *state, message, strange);
    });
  using behavior_type = typename Self::behavior_type;
  if constexpr (std::is_same_v<behavior_type, caf::behavior>)
    return {std::move(fs)...};
  else
    return {[&self, at](const T& x) { return at->handle(self, x); },
            std::move(fs)...};
}

/// Has a blocking actor receive as long as `goes_on`, likewise.
template <class T, class Self, class State, class... Fs>
void receive_with(Self& self, const std::shared_ptr<State>& at, bool& goes_on,
                  bool expects_strange, Fs... fs) {
  auto any = [&self, at,
              expects_strange](caf::message& message) -> unhandled_result {
    auto strange = [&]() -> unhandled_result {
      if (expects_strange)
        return at->strange();
      return caf::skip;
    };
    return handle_any<T>(self, *at, message, strange);
  };
  self.receive_while(goes_on)(std::move(fs)..., caf::others >> any);
}

} // namespace test
