#pragma once

#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/message_type.hpp"
#include "libpool/actors/factory.hpp"
#include "libpool/actors/pool_ref.hpp"
#include "libpool/actors/signature.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/export.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/message.hpp>
#include <caf/response_type.hpp>
#include <caf/unit.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

/// Exception of a future whose request was answered with an error. The text is
/// that of the error.
class LIBPOOL_EXPORT request_failed : public std::runtime_error {
public:
  /// Makes an exception for the error `why`, which is not empty.
  explicit request_failed(caf::error why);

  /// Returns the error, for example for `libpool::render`, which also knows
  /// categories of errors that the user has added to the actor system.
  const caf::error& error() const noexcept {
    return error_;
  }

  /// Returns the code of an error of libpool; unset for any other error.
  std::optional<errc> code() const noexcept;

private:
  caf::error error_;
};

} // namespace libpool

namespace libpool::detail {

template <class T>
struct type_is {
  using type = T;
};

// -- answers ------------------------------------------------------------------

/// Takes the contents of the answers to requests, in the order of the requests.
/// Each content may be an error.
using answers_taker = std::function<void(std::vector<caf::message>&)>;

/// Sends the requests to the pool. Calls `taker` once, when each request has an
/// answer or an error that takes its place, in the thread of the last one.
///
/// Errors: std::invalid_argument if `pool` is a null handle.
LIBPOOL_EXPORT void send_requests(const caf::actor& pool,
                                  std::vector<caf::message> contents,
                                  answers_taker taker);

/// Returns the error for an answer that does not have the elements `expected`.
LIBPOOL_EXPORT caf::error
wrong_result(const std::vector<message_type>& expected,
             const caf::message& answer);

/// Returns the error for the exception that is being handled.
LIBPOOL_EXPORT caf::error unreadable_result();

/// Elements of an answer with a result of type `R`.
template <class R>
struct elements_of_result : type_is<std::tuple<R>> {};

template <class... Ts>
struct elements_of_result<std::tuple<Ts...>> : type_is<std::tuple<Ts...>> {};

template <>
struct elements_of_result<void> : type_is<std::tuple<>> {};

template <class R, class... Ts, std::size_t... Is>
caf::expected<R> read_result(caf::message& answer, type_is<std::tuple<Ts...>>,
                             std::index_sequence<Is...>) {
  if (!answer.match_elements<Ts...>())
    return wrong_result({message_type_of<Ts>()...}, answer);
  if constexpr (std::is_void_v<R>)
    return caf::unit;
  else
    return R(std::move(answer.get_mutable_as<Ts>(Is))...);
}

/// Returns the result in the content of an answer, or the error.
template <class R>
caf::expected<R> result_in(caf::message& answer) noexcept {
  using elements = typename elements_of_result<R>::type;
  try {
    if (answer.match_elements<caf::error>())
      return answer.get_as<caf::error>(0);
    if constexpr (std::is_same_v<R, caf::message>)
      return std::move(answer);
    else
      return read_result<R>(
        answer, type_is<elements>{},
        std::make_index_sequence<std::tuple_size_v<elements>>{});
  } catch (...) { // of a copy
    return unreadable_result();
  }
}

template <class R>
void fulfil(std::promise<R>& promise, caf::expected<R> result) {
  if (!result)
    promise.set_exception(
      std::make_exception_ptr(request_failed{result.error()}));
  else if constexpr (std::is_void_v<R>)
    promise.set_value();
  else
    try {
      promise.set_value(std::move(*result));
    } catch (...) { // of a move
      promise.set_exception(
        std::make_exception_ptr(request_failed{unreadable_result()}));
    }
}

// -- types --------------------------------------------------------------------

/// Type of the element of a message that is made from a `T`.
template <class T>
using element_from = std::conditional_t<std::is_convertible_v<T, const char*>,
                                        std::string, std::decay_t<T>>;

/// Type of the result of a request, from the elements of its answer.
template <class Elements>
struct result_from : type_is<Elements> {};

template <class T>
struct result_from<std::tuple<T>> : type_is<T> {};

template <>
struct result_from<std::tuple<>> : type_is<void> {};

/// Returns the type of the result of a request with the elements `Ts`. If `R`
/// cannot be the type, a static assertion fails.
template <class R, class Pool, class... Ts>
constexpr auto check_result() {
  constexpr auto is_deduced = std::is_same_v<R, deduced>;
  if constexpr (is_typed_handle<Pool>) {
    using response =
      caf::response_type<typename Pool::signatures, element_from<Ts>...>;
    static_assert(
      response::valid,
      "libpool: the workers of the pool do not take such a message");
    if constexpr (response::valid) {
      using result = result_from<typename response::tuple_type>;
      static_assert(is_deduced || std::is_same_v<R, typename result::type>,
                    "libpool: the workers of the pool do not answer such a "
                    "message with the result that the request names");
      return result{};
    }
  } else {
    static_assert(
      !is_deduced,
      "libpool: the pool has no types, so the request must name the "
      "type of its result, as in submit<int>(pool, 3)");
    return type_is<R>{};
  }
}

template <class R, class Pool, class... Ts>
using result_of_request =
  typename decltype(check_result<R, Pool, Ts...>())::type;

template <class R, class Pool, class Item>
struct result_of_item : type_is<result_of_request<R, Pool, Item>> {};

template <class R, class Pool, class... Ts>
struct result_of_item<R, Pool, std::tuple<Ts...>>
  : type_is<result_of_request<R, Pool, Ts...>> {};

template <class Range>
using item_of = typename std::iterator_traits<decltype(std::begin(
  std::declval<const Range&>()))>::value_type;

template <class T>
caf::message message_from(T item) {
  return caf::make_message(std::move(item));
}

template <class... Ts>
caf::message message_from(std::tuple<Ts...> items) {
  return std::apply(
    [](auto&... xs) { return caf::make_message(std::move(xs)...); }, items);
}

} // namespace libpool::detail

namespace libpool {

/// Sends a request with the content `xs` to a pool, and returns its result as a
/// future. For threads that are not actors:
///
///     auto square = libpool::submit<int>(pool, 7).get();
///
/// `pool` is any handle of a pool, also of a pipeline or a gate, or of any
/// other actor. `R` is the type of the result: `void` if the handler returns
/// nothing, a `std::tuple` if the answer has several elements, `caf::message`
/// for any answer. With a typed handle, `R` and the content are checked at
/// compile time, and `R` can be left out.
///
/// Load:    one object for each call, with about 0.5 KB beside the content, the
///          result and the task in the pool, until the request is answered. The
///          object is an actor without a mailbox, a thread or a turn in the
///          scheduler: the thread of the answer makes the future ready.
/// Threads: any. All threads of an actor system are one client, and one flow
///          unless `flow_of` says otherwise. The client is in CAF's registry
///          under the name "lp_threads".
/// Errors:  the future throws `request_failed`, and no other exception: with
///          the error of the answer, `caf::sec::unexpected_response` if the
///          result is not an `R`, `errc::worker_failed` if the request was
///          dropped without an answer, `errc::pool_closed` if the actor system
///          has ended. `submit` itself throws std::invalid_argument if `pool`
///          is a null handle.
///
/// A future can be destroyed before it is ready. This does not cancel the
/// request, see `actor_pool::cancel`.
template <class R = detail::deduced, class Pool, class... Ts>
std::future<detail::result_of_request<R, Pool, Ts...>> submit(const Pool& pool,
                                                              Ts&&... xs) {
  using result = detail::result_of_request<R, Pool, Ts...>;
  auto promise = std::make_shared<std::promise<result>>();
  detail::send_requests(
    pool_ref{pool}.handle(), {caf::make_message(std::forward<Ts>(xs)...)},
    [promise](std::vector<caf::message>& answers) {
      detail::fulfil(*promise, detail::result_in<result>(answers.front()));
    });
  return promise->get_future();
}

/// Sends a request for each item of the range `contents`, and returns the
/// results of all as one future. A tuple becomes a message of its elements; any
/// other item, except a `caf::message`, the only element of a message.
///
///     std::vector<int> numbers{1, 2, 3};
///     auto pending = libpool::submit_all<int>(pool, numbers);
///     for (auto& square : pending.get())
///       if (square) // a caf::expected<int>: a result, or the error
///         std::cout << *square << '\n';
///
/// The results have the order of the requests. The future becomes ready when
/// all requests are answered. An error of one request does not affect the
/// others; `results_of` throws the first one. The thread of the last answer
/// puts the results in order.
///
/// Load:    one object, as `submit` has for each call, and for each request
///          about 10 bytes beside the content, the answer and the task.
/// Threads: as `submit`.
/// Errors:  those of `submit`, as results instead of exceptions. The future
///          throws no exception.
template <class R = detail::deduced, class Pool, class Range>
auto submit_all(const Pool& pool, const Range& contents) {
  using item = detail::item_of<Range>;
  using result = typename detail::result_of_item<R, Pool, item>::type;
  using results = std::vector<caf::expected<result>>;
  std::vector<caf::message> messages;
  for (const auto& each : contents)
    messages.push_back(detail::message_from(item(each)));
  auto promise = std::make_shared<std::promise<results>>();
  detail::send_requests(pool_ref{pool}.handle(), std::move(messages),
                        [promise](std::vector<caf::message>& answers) {
                          results all;
                          all.reserve(answers.size());
                          for (auto& each : answers)
                            all.push_back(detail::result_in<result>(each));
                          promise->set_value(std::move(all));
                        });
  return promise->get_future();
}

/// Returns the results of `submit_all` without errors:
///
///     auto squares = libpool::results_of(pending.get()); // of type
///     vector<int>
///
/// Errors: `request_failed` with the error of the first request that failed, in
///         the order of the requests.
template <class R>
auto results_of(std::vector<caf::expected<R>> answers) {
  for (auto& each : answers)
    if (!each)
      throw request_failed{each.error()};
  if constexpr (!std::is_void_v<R>) {
    std::vector<R> results;
    results.reserve(answers.size());
    for (auto& each : answers)
      results.push_back(std::move(*each));
    return results;
  }
}

} // namespace libpool
