#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace libpool {

/// Returns the first element of type `T` in a message; nullptr if the message
/// has no such element.
template <class T>
const T* first_of(const message_content& content) {
  for (std::size_t i = 0; i < content.size(); ++i)
    if (content.match_element<T>(i))
      return &content.get_as<T>(i);
  return nullptr;
}

/// Returns a function for the option `flow_options::flow_of`, which returns the
/// flow of a message, for example its tenant. The name of the flow is the
/// result of `name_of` for the first element of type `T`. Messages without such
/// an element belong to the flow without a name.
template <class T, class NameOf>
std::function<flow_key(const message_content&)> flow_by(NameOf name_of) {
  constexpr auto names =
    std::is_invocable_r_v<flow_key, const NameOf&, const T&>;
  constexpr auto is_mutable =
    !names && std::is_invocable_r_v<flow_key, NameOf&, const T&>;
  static_assert(!is_mutable, "libpool: the function of flow_by<T> must be "
                             "callable as const, unlike a mutable lambda");
  static_assert(names || is_mutable,
                "libpool: flow_by<T> requires a function that takes a const T& "
                "and returns the name of a flow: a string or an integer");
  return
    [name_of = std::move(name_of)](const message_content& content) -> flow_key {
      if constexpr (names)
        if (auto* element = first_of<T>(content))
          return flow_key{name_of(*element)};
      return {};
    };
}

/// Returns a function for the option `flow_options::flow_of`, which returns the
/// flow of a message, for example its tenant. The name of the flow is the first
/// element of type `T`. Messages without such an element belong to the flow
/// without a name.
template <class T>
std::function<flow_key(const message_content&)> flow_by() {
  return flow_by<T>([](const T& element) { return flow_key{element}; });
}

/// Returns a function for the option `same_result::key_of`, which returns the
/// key of the result that a message asks for. The key is the result of `key_of`
/// for the first element of type `T`: a string, or std::nullopt for a message
/// that is handled by itself. Messages without such an element have no key.
template <class T, class KeyOf>
std::function<std::optional<std::string>(const message_content&)>
same_by(KeyOf key_of) {
  using key = std::optional<std::string>;
  constexpr auto fits = std::is_invocable_r_v<key, const KeyOf&, const T&>;
  constexpr auto is_mutable = !fits
                              && std::is_invocable_r_v<key, KeyOf&, const T&>;
  static_assert(!is_mutable, "libpool: the function of same_by<T> must be "
                             "callable as const, unlike a mutable lambda");
  static_assert(fits || is_mutable,
                "libpool: same_by<T> requires a function that takes a const T& "
                "and returns the key of a result: a string or a std::optional "
                "of one");
  return [key_of = std::move(key_of)](const message_content& content) -> key {
    if constexpr (fits)
      if (auto* element = first_of<T>(content))
        return key_of(*element);
    return std::nullopt;
  };
}

/// Returns a function for the option `flow_options::width_of`, which returns
/// the width of a message: the number of places for messages at workers that
/// the message takes. The width is the result of `width_of` for the first
/// element of type `T`, or 1 without such an element. A message with a width
/// below 1 is refused with `errc::policy_failed`.
template <class T, class WidthOf>
std::function<std::size_t(const message_content&)> width_by(WidthOf width_of) {
  constexpr auto counts =
    std::is_invocable_r_v<double, const WidthOf&, const T&>;
  constexpr auto is_mutable =
    !counts && std::is_invocable_r_v<double, WidthOf&, const T&>;
  static_assert(!is_mutable, "libpool: the function of width_by<T> must be "
                             "callable as const, unlike a mutable lambda");
  static_assert(counts || is_mutable,
                "libpool: width_by<T> requires a function that takes a const "
                "T& and returns a number of seats");
  return [width_of = std::move(width_of)](
           const message_content& content) -> std::size_t {
    if constexpr (counts)
      if (auto* element = first_of<T>(content)) {
        auto width = width_of(*element);
        return width > 0 ? static_cast<std::size_t>(width) : 0;
      }
    return 1;
  };
}

/// Returns a function for the option `flow_options::width_of`, which returns
/// the width of a message: the number of places for messages at workers that
/// the message takes. The width is the first element of type `T`, or 1 without
/// such an element.
template <class T>
std::function<std::size_t(const message_content&)> width_by() {
  return width_by<T>([](T number) { return number; });
}

/// Returns the time to transfer `bytes` bytes: `latency`, plus the bytes
/// divided by the bandwidth. For use in `home_options::move_cost`, the function
/// that returns the cost of moving the data of a message to another worker.
/// @pre bytes_per_second > 0
inline duration transfer_time(double bytes, double bytes_per_second,
                              duration latency = duration{0}) {
  constexpr double nanoseconds = 1e9;
  return latency
         + duration{
           static_cast<duration::rep>(bytes / bytes_per_second * nanoseconds)};
}

} // namespace libpool
