#pragma once

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/port/item_types.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/actors/signature.hpp"
#include "libpool/export.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

/// Options of one stage of a pipeline.
struct stage_options {
  /// Maximum number of items in the stage, from 1 to 1'000'000. This includes
  /// the items in the pool of the stage, and the items that wait for room in
  /// the next stage. Unset: twice the number of workers of the pool, at least
  /// 2; for a stage that is a pipeline, the number of items that the pipeline
  /// has room for. A pool with a `capacity` should accept at least this number
  /// of messages.
  std::optional<std::size_t> credit = std::nullopt;
  /// Number of actors that call the function of a `function_stage`, each with
  /// its own copy of the function; at least 1. With 1, the function is called
  /// with one item after the other, and may keep state between calls.
  std::size_t workers = 1;
};

template <class In, class Out>
class pipeline_plan;

namespace detail {

/// Maximum value of `stage_options::credit`, the maximum number of items in a
/// stage.
constexpr std::size_t most_credit = 1'000'000;

/// Description of a stage or a source, without the types of the items.
struct stage_plan {
  std::string name;
  stage_options options;
  /// Number of workers of the stage; 0 if the stage uses an existing pool,
  /// which has its own number of workers.
  std::size_t workers = 0;
  /// Whether the pipeline owns the actor of the stage, and stops the actor when
  /// the pipeline ends.
  bool is_owned = false;
  std::function<caf::actor(caf::actor_system&)> make;
};

/// Stages and optional source of a pipeline, without the types of the items.
struct plan_parts {
  std::optional<stage_plan> source;
  std::vector<stage_plan> stages;
};

LIBPOOL_EXPORT plan_parts joined(plan_parts first, const plan_parts& second);

/// Function that a stage calls with each item: returns the result as a message.
/// Throws or returns an error if the item fails.
using item_function = std::function<caf::expected<caf::message>(caf::message&)>;

/// Function that a source calls for each item. Returns the next item as a
/// message. After the last item, returns the atom `end_atom`.
using item_generator = std::function<caf::message()>;

LIBPOOL_EXPORT plan_parts function_plan(const std::string& name,
                                        item_function f,
                                        const stage_options& options);
LIBPOOL_EXPORT plan_parts pool_plan(const std::string& name, std::size_t n,
                                    const std::function<caf::actor()>& factory,
                                    const policy& policy,
                                    const stage_options& options);
LIBPOOL_EXPORT plan_parts pool_plan(const std::string& name, caf::actor handle,
                                    const stage_options& options);
LIBPOOL_EXPORT plan_parts source_plan(item_generator f);
LIBPOOL_EXPORT plan_parts source_plan(caf::actor source);
LIBPOOL_EXPORT caf::error unexpected_item();

template <class T, class Found>
using if_deduced = std::conditional_t<std::is_same_v<T, deduced>, Found, T>;

template <class T>
constexpr bool is_anything = std::is_same_v<T, caf::message>;

template <class Given, class Taken>
constexpr bool fits_into =
  std::is_same_v<Given, Taken> || is_anything<Given> || is_anything<Taken>;

template <class T>
struct without_error {
  using type = T;
};

template <class T>
struct without_error<caf::expected<T>> {
  using type = T;
};

template <class T>
struct inside_optional {
  static constexpr bool is_optional = false;
  using type = T;
};

template <class T>
struct inside_optional<std::optional<T>> {
  static constexpr bool is_optional = true;
  using type = T;
};

/// Type of the items that an actor takes, and type of the results that the
/// actor returns. For an untyped handle, both are `caf::message`.
template <class Handle>
struct types_of {
  using in = caf::message;
  using out = caf::message;
};

template <class... Signatures>
struct types_of<caf::typed_actor<Signatures...>> {
  using in = typename only_signature<caf::typed_actor<Signatures...>>::in;
  using out = typename only_signature<caf::typed_actor<Signatures...>>::out;
};

/// Type of the items that a stage takes, and type of its results: the types
/// `In` and `Out` if the user names them, otherwise the types of the actor
/// handle.
template <class In, class Out, class Handle>
struct stage_types {
  using in = if_deduced<In, typename types_of<Handle>::in>;
  using out = if_deduced<Out, typename types_of<Handle>::out>;
  static_assert(
    !std::is_same_v<in, deduced> && !std::is_same_v<out, deduced>,
    "libpool: the handle of a stage must have one signature; otherwise name "
    "the types that the stage takes and returns: pool_stage<In, Out>");
  using plan = pipeline_plan<in, out>;
};

template <class T>
caf::message message_of(T&& value) {
  if constexpr (is_anything<std::decay_t<T>>)
    return std::forward<T>(value);
  else
    return caf::make_message(std::forward<T>(value));
}

template <class T>
caf::expected<caf::message> message_of(caf::expected<T>&& value) {
  if (!value)
    return std::move(value.error());
  if constexpr (std::is_void_v<T>)
    return caf::message{};
  else
    return message_of(std::move(*value));
}

/// Function object that calls a function of the user with the content of a
/// message.
template <class In, class F>
class called_with {
public:
  explicit called_with(F f) : f_(std::move(f)) {
    // nop
  }

  caf::expected<caf::message> operator()(caf::message& message) {
    if constexpr (is_anything<In>)
      return call(message);
    else if (message.match_elements<In>())
      return call(message.get_mutable_as<In>(0));
    else
      return unexpected_item();
  }

private:
  caf::expected<caf::message> call(In& input) {
    static_assert(std::is_invocable_v<F&, In&&>,
                  "libpool: the function of a stage must take its argument by "
                  "value or as a const reference");
    if constexpr (std::is_void_v<std::invoke_result_t<F&, In&&>>) {
      std::invoke(f_, std::move(input));
      return caf::message{};
    } else {
      return message_of(std::invoke(f_, std::move(input)));
    }
  }

  F f_;
};

} // namespace detail

} // namespace libpool
