#pragma once

#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/factory.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/actors/stage_plan.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace libpool {

/// Plan of a pipeline: stages in a line, optionally with a source before the
/// first stage. `spawn_pipeline` makes pipelines of a plan, any number of
/// times. `In` is the type of the items that a pipeline accepts; void for a
/// plan with a source. `Out` is the type of the results; void if the last stage
/// returns nothing. The type `caf::message` stands for messages with any
/// elements, which the next stage checks at run time.
///
///     auto plan = function_stage("parse", parse)
///                 | pool_stage("count", 4, spawn_counter)
///                 | collect(print);
template <class In, class Out>
class pipeline_plan {
public:
  /// Makes a plan from its stages and its optional source. Called by
  /// `function_stage`, `pool_stage` and other functions that return plans.
  explicit pipeline_plan(detail::plan_parts parts) : parts_(std::move(parts)) {
    // nop
  }

  /// Returns the stages and the optional source of the plan.
  const detail::plan_parts& parts() const noexcept {
    return parts_;
  }

private:
  detail::plan_parts parts_;
};

/// Returns a plan in which the results of `first` are the items of `second`.
template <class In, class Given, class Taken, class Out>
pipeline_plan<In, Out> operator|(const pipeline_plan<In, Given>& first,
                                 const pipeline_plan<Taken, Out>& second) {
  static_assert(!std::is_void_v<Taken>,
                "libpool: a source must be at the beginning of a pipeline");
  static_assert(!std::is_void_v<Given>, "libpool: a stage that returns nothing "
                                        "must be the last stage of a pipeline");
  static_assert(
    std::is_void_v<
      Given> || std::is_void_v<Taken> || detail::fits_into<Given, Taken>,
    "libpool: a stage must take the type that the stage before it returns");
  return pipeline_plan<In, Out>{detail::joined(first.parts(), second.parts())};
}

/// Returns a stage that calls `f` with each item and passes on the result. `f`
/// takes one argument. In the last stage, `f` may return nothing. If `f` throws
/// or returns an error in a `caf::expected`, only this item fails.
///
/// Threads: the stage has `how.workers` copies of `f`; calls of one copy do not
///          overlap. `f` runs in the threads of the scheduler.
/// Errors:  std::invalid_argument names an option that is out of bounds.
template <class F>
auto function_stage(const std::string& name, F f,
                    const stage_options& options = {}) {
  using signature = detail::signature_of<F>;
  using result = typename detail::without_error<
    std::decay_t<typename signature::result>>::type;
  using argument = std::decay_t<detail::parameter_of<F, 0>>;
  static_assert(!std::is_same_v<result, detail::deduced>,
                "libpool: the function of a stage must have one signature: it "
                "cannot be generic or overloaded");
  static_assert(signature::arguments == 1
                  || std::is_same_v<result, detail::deduced>,
                "libpool: the function of a stage must take one argument");
  if constexpr (signature::arguments == 1)
    return pipeline_plan<argument, result>{detail::function_plan(
      name, detail::called_with<argument, F>{std::move(f)}, options)};
}

/// Returns the last stage of a pipeline, which calls `f` with each result, in
/// the threads of the scheduler. Calls do not overlap if `how.workers` is 1,
/// the default. If the pipeline is `ordered`, results come in the order in
/// which the items were accepted. If `f` throws, the item fails.
template <class F>
auto collect(F f, const stage_options& options = {}) {
  return function_stage("collect", std::move(f), options);
}

/// Returns a stage with a pool of `n` workers, which `factory` makes, and the
/// policy `policy`. The workers end with the pipeline. `In` and `Out` are the
/// types of the items and of the results. If they are not given, the signature
/// of the workers gives the types; a stage of untyped workers takes and returns
/// any messages.
///
/// Errors: std::invalid_argument if `n` is 0 or an option is out of bounds.
///         `spawn_pipeline` also throws the exceptions of `actor_pool::make`.
template <class In = detail::deduced, class Out = detail::deduced,
          class Factory, class Handle = detail::made_by<Factory>>
auto pool_stage(const std::string& name, std::size_t n, Factory factory,
                const policy& policy = {}, const stage_options& options = {}) {
  return typename detail::stage_types<In, Out, Handle>::plan{detail::pool_plan(
    name, n, detail::factory_of(std::move(factory)), policy, options)};
}

/// Returns a stage that sends items to an existing pool, or to any other actor
/// that answers requests. The pipeline does not stop this actor.
template <class In = detail::deduced, class Out = detail::deduced, class Handle,
          class = std::enable_if_t<!std::is_arithmetic_v<Handle>>>
auto pool_stage(const std::string& name, const Handle& handle,
                const stage_options& options = {}) {
  return typename detail::stage_types<In, Out, Handle>::plan{
    detail::pool_plan(name, detail::untyped(handle), options)};
}

/// Returns a source that takes items from `f`. `f` returns a std::optional: the
/// next item, or nothing after the last item. `f` is called whenever the first
/// stage has room, in the threads of the scheduler. Calls do not overlap; each
/// pipeline has its own copy of `f`. If `f` throws, the source ends with
/// `errc::source_failed`.
template <class T = detail::deduced, class F>
auto generate(F f) {
  using result = detail::made_by<F>;
  using item = detail::inside_optional<result>;
  static_assert(
    item::is_optional,
    "libpool: a generator must take no arguments and return a std::optional");
  static_assert(
    !item::is_optional
      || std::is_same_v<
        T, detail::deduced> || std::is_same_v<T, typename item::type>,
    "libpool: a generator must return a std::optional of its items");
  if constexpr (item::is_optional) {
    auto untyped = [f = std::move(f)]() mutable {
      auto next = std::invoke(f);
      return next ? detail::message_of(*std::move(next))
                  : caf::make_message(end_atom{});
    };
    return pipeline_plan<void, typename item::type>{
      detail::source_plan(std::move(untyped))};
  }
}

/// Returns a source that gets items from the actor `source`. The source sends
/// one request with the message ('SYS', 'PULL') for each item that the first
/// stage has room for, without waiting for earlier answers. The answer to a
/// request is the next item. The pipeline does not stop the actor.
template <class T = caf::message, class Handle>
pipeline_plan<void, T> pull_from(const Handle& source) {
  return pipeline_plan<void, T>{detail::source_plan(detail::untyped(source))};
}

} // namespace libpool
