#pragma once

#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/message_type.hpp"
#include "libpool/actors/signature.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/export.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

/// Tasks of a message that was split: each worker, with the message that the
/// worker gets. A worker with an empty message gets no task.
using worker_tasks = std::vector<std::pair<caf::actor, caf::message>>;

/// Parts of a message that was split. Each part is a task for some worker; an
/// empty part is skipped.
using message_parts = std::vector<caf::message>;

} // namespace libpool

/// Functions that call users' functions with a message or with the content of a
/// message.
namespace libpool::detail {

/// Throws `user_function_failed` because a function of the user does not take
/// the type of the message. The text names both types: "join takes i32, but the
/// answer is (str)".
[[noreturn]] LIBPOOL_EXPORT void throw_mismatch(const char* function,
                                                message_type takes,
                                                const char* noun,
                                                const caf::message& given);

/// The same for a function that takes no type of messages, but what `takes`
/// says.
[[noreturn]] void throw_mismatch(const char* function, const std::string& takes,
                                 const char* noun, const caf::message& given);

/// Returns the content of the message as an argument of type `Taken`, or the
/// message itself if `Taken` is `caf::message`. If a function with such an
/// argument can change the content, the content is not shared with other
/// messages.
template <class Taken>
decltype(auto) content_as(caf::message& message, const char* function,
                          const char* noun) {
  using type = std::decay_t<Taken>;
  if constexpr (std::is_same_v<type, caf::message>) {
    return (message);
  } else {
    if (!message.match_elements<type>())
      throw_mismatch(function, message_type_of<type>(), noun, message);
    if constexpr (std::is_lvalue_reference_v<
                    Taken> && std::is_const_v<std::remove_reference_t<Taken>>)
      return message.get_as<type>(0);
    else
      return message.get_mutable_as<type>(0);
  }
}

/// Returns a message that contains `value`. If `value` is a message, returns
/// `value` itself.
template <class T>
caf::message as_message(T value) {
  if constexpr (std::is_same_v<T, caf::message>)
    return value;
  else
    return caf::make_message(std::move(value));
}

// -- join ---------------------------------------------------------------------

/// Whether the join function `Join` takes a result as a `caf::message&`, like
/// the join functions of CAF.
template <class T, class Join>
constexpr bool joins_messages = std::is_invocable_v<Join&, T&, caf::message&>;

/// Whether `Taken` is an lvalue reference to an object that is not const.
template <class Taken>
constexpr bool is_changeable =
  std::is_lvalue_reference_v<
    Taken> && !std::is_const_v<std::remove_reference_t<Taken>>;

/// Returns whether `Join` is a join function, which adds one result to a value
/// of type `T`. If not, one static assertion fails and states the requirements.
template <class T, class Join>
constexpr bool check_join() {
  using total = parameter_of<Join, 0>;
  using result = parameter_of<Join, 1>;
  if constexpr (joins_messages<T, Join>) {
    return true;
  } else {
    constexpr auto is_known = signature_of<Join>::arguments == 2;
    constexpr auto is_void =
      std::is_void_v<typename signature_of<Join>::result>;
    constexpr auto changes =
      is_changeable<total> && std::is_convertible_v<T&, total>;
    static_assert(
      is_known,
      "libpool: a join must be void (T&, const R&), where R is a result, or "
      "void (T&, caf::message&); it cannot be generic or overloaded");
    static_assert(!is_known || is_void,
                  "libpool: a join must change its first argument and return "
                  "void: a return value would be discarded");
    static_assert(!is_known || !is_void || changes,
                  "libpool: the first parameter of a join must be a T&, which "
                  "it changes: any other change would be discarded");
    static_assert(
      !is_known || !is_void || !changes || !is_changeable<result>,
      "libpool: a join must take a result by value or as a const reference");
    return is_known && is_void && changes && !is_changeable<result>;
  }
}

/// Calls `join` to add a result to `total`. `join` gets the content of the
/// message `result`, or the message itself.
template <class T, class Join>
void join_with(Join& join, T& total, caf::message& result) {
  if constexpr (joins_messages<T, Join>) {
    join(total, result);
  } else {
    using taken = parameter_of<Join, 1>;
    join(total,
         std::forward<taken>(content_as<taken>(result, "join", "the answer")));
  }
}

// -- split --------------------------------------------------------------------

template <class>
inline constexpr bool is_vector = false;

template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

/// Whether the split function `Split` takes a `caf::message&` and sets the task
/// of each worker, like the split functions of CAF.
template <class Split>
constexpr bool fills_in_messages =
  std::is_invocable_v<Split&, worker_tasks&, caf::message&>;

/// Whether the split function `Split` takes a `caf::message&` and returns any
/// number of parts.
template <class Split>
constexpr bool splits_messages =
  std::is_invocable_r_v<message_parts, Split&, caf::message&>;

/// Whether the split function `Split` returns any number of parts, instead of
/// setting one task for each worker.
template <class Split>
constexpr bool makes_parts =
  splits_messages<
    Split> || (!fills_in_messages<Split> && signature_of<Split>::arguments == 1);

/// Returns whether `Split` is a split function, which divides a message into
/// several tasks. If not, one static assertion fails and states the
/// requirements.
template <class Split>
constexpr bool check_split() {
  using result = std::decay_t<typename signature_of<Split>::result>;
  if constexpr (splits_messages<Split> || fills_in_messages<Split>) {
    return true;
  } else if constexpr (makes_parts<Split>) {
    static_assert(
      is_vector<result>,
      "libpool: a split that takes one argument must return the parts: a "
      "std::vector of a type that workers take, or of caf::message");
    return is_vector<result>;
  } else {
    constexpr auto fills_in =
      signature_of<Split>::arguments == 2
      && std::is_same_v<parameter_of<Split, 0>, worker_tasks&>;
    static_assert(
      fills_in,
      "libpool: a split must be std::vector<Part> (const M&) or void "
      "(libpool::worker_tasks&, const M&), where M is caf::message or the type "
      "in the message; it cannot be generic or overloaded");
    static_assert(!fills_in || std::is_void_v<result>,
                  "libpool: a split that fills in the tasks must return void: "
                  "a return value would be discarded");
    return fills_in && std::is_void_v<result>;
  }
}

/// Returns the content of the message as an argument of a split function. A
/// function that takes its argument by value gets a copy, so that the message
/// is refused unchanged if the function throws.
template <class Taken>
decltype(auto) split_content(caf::message& message) {
  using bound =
    std::conditional_t<std::is_reference_v<Taken>, Taken, const Taken&>;
  return std::forward<bound>(
    content_as<bound>(message, "split", "the message"));
}

/// Converts a split function to a function that takes a `caf::message&` and
/// returns the parts as messages.
template <class Split>
auto untyped_parts(Split split) {
  return [split = std::move(split)](caf::message& message) mutable {
    if constexpr (splits_messages<Split>) {
      return message_parts(split(message));
    } else {
      message_parts parts;
      for (auto&& each : split(split_content<parameter_of<Split, 0>>(message)))
        parts.push_back(as_message(std::move(each)));
      return parts;
    }
  };
}

/// Converts a split function to a function that takes a `caf::message&` and
/// sets the task of each worker as a message.
template <class Split>
auto untyped_tasks(Split split) {
  if constexpr (fills_in_messages<Split>)
    return split;
  else
    return [split = std::move(split)](worker_tasks& tasks,
                                      caf::message& message) mutable {
      split(tasks, split_content<parameter_of<Split, 1>>(message));
    };
}

} // namespace libpool::detail
