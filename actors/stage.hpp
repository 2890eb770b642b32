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

/// Stages in a line, and perhaps a source before them: what `spawn_pipeline`
/// makes a pipeline of, any number of times. Takes items of type `In`, none
/// from outside if that is void, and gives results of type `Out`, none if that
/// is void. With `caf::message` anything goes, also several elements: whether
/// the next stage takes it shows at run time.
///
///     auto plan = function_stage("parse", parse)
///                 | pool_stage("count", 4, spawn_counter)
///                 | collect(print);
template <class In, class Out>
class pipeline_plan {
public:
  explicit pipeline_plan(detail::plan_parts parts) : parts_(std::move(parts)) {
    // nop
  }

  const detail::plan_parts& parts() const noexcept {
    return parts_;
  }

private:
  detail::plan_parts parts_;
};

/// Two plans in a line: the first gives what the second takes.
template <class In, class Given, class Taken, class Out>
pipeline_plan<In, Out> operator|(const pipeline_plan<In, Given>& first,
                                 const pipeline_plan<Taken, Out>& second) {
  static_assert(!std::is_void_v<Taken>,
                "libpool: a source can only be at the beginning of a pipeline");
  static_assert(!std::is_void_v<Given>,
                "libpool: a stage that gives nothing can only be the last one");
  static_assert(
    std::is_void_v<
      Given> || std::is_void_v<Taken> || detail::fits_into<Given, Taken>,
    "libpool: a stage takes something else than the one before it "
    "gives");
  return pipeline_plan<In, Out>{detail::joined(first.parts(), second.parts())};
}

/// A stage that calls `f` with each item, and passes on the result. `f` takes
/// one argument, and may return nothing in the last stage. An item fails, and
/// no other one, if `f` throws or returns an error in a `caf::expected`.
///
/// Threads: one call at a time of each copy, in the threads of the scheduler.
/// Errors:  std::invalid_argument names an option that is out of bounds.
template <class F>
auto function_stage(const std::string& name, F f,
                    const stage_options& how = {}) {
  using signature = detail::signature_of<F>;
  using result = typename detail::without_error<
    std::decay_t<typename signature::result>>::type;
  using argument = std::decay_t<detail::parameter_of<F, 0>>;
  static_assert(!std::is_same_v<result, detail::deduced>,
                "libpool: the function of a stage has one signature: it is "
                "neither generic nor overloaded");
  static_assert(signature::arguments == 1
                  || std::is_same_v<result, detail::deduced>,
                "libpool: the function of a stage takes one argument");
  if constexpr (signature::arguments == 1)
    return pipeline_plan<argument, result>{detail::function_plan(
      name, detail::called_with<argument, F>{std::move(f)}, how)};
}

/// The end of a line: `f` is called with each result, one at a time, in the
/// threads of the scheduler. In the order in which items were accepted if the
/// pipeline is `ordered`. If it throws, the item fails.
template <class F>
auto collect(F f, const stage_options& how = {}) {
  return function_stage("collect", std::move(f), how);
}

/// A stage of `n` workers of `factory` under the policy, which end with the
/// pipeline. Where the factory returns handles of typed actors with one
/// signature, these say what the stage takes and gives; otherwise `In` and
/// `Out` do, or else anything goes.
///
/// Errors: std::invalid_argument if there are no workers, or an option is out
///         of bounds; with `spawn_pipeline`, those of `actor_pool::make`.
template <class In = detail::deduced, class Out = detail::deduced,
          class Factory, class Handle = detail::made_by<Factory>>
auto pool_stage(const std::string& name, std::size_t n, Factory factory,
                const policy& how = {}, const stage_options& options = {}) {
  return typename detail::stage_types<In, Out, Handle>::plan{detail::pool_plan(
    name, n, detail::factory_of(std::move(factory)), how, options)};
}

/// A stage of an existing pool, or of any actor that answers requests. It lives
/// on when the pipeline ends.
template <class In = detail::deduced, class Out = detail::deduced, class Handle,
          class = std::enable_if_t<!std::is_arithmetic_v<Handle>>>
auto pool_stage(const std::string& name, const Handle& handle,
                const stage_options& how = {}) {
  return typename detail::stage_types<In, Out, Handle>::plan{
    detail::pool_plan(name, detail::untyped(handle), how)};
}

/// A source: `f` returns the next item in a std::optional, or nothing if there
/// are no more. It is called whenever the first stage has room, one call at a
/// time, in the threads of the scheduler, and a copy of it for each pipeline.
/// If it throws, no more items come (`errc::source_failed`).
template <class T = detail::deduced, class F>
auto generate(F f) {
  using result = detail::made_by<F>;
  using item = detail::inside_optional<result>;
  static_assert(item::is_optional,
                "libpool: a generator takes nothing and returns a "
                "std::optional");
  static_assert(
    !item::is_optional
      || std::is_same_v<
        T, detail::deduced> || std::is_same_v<T, typename item::type>,
    "libpool: a generator returns a std::optional of its items");
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

/// A source: an actor that is asked for more, with ('SYS', 'PULL') as a
/// request, whenever the first stage has room; as often as it has, without
/// waiting for an answer. It is left as it is when the pipeline ends.
template <class T = caf::message, class Handle>
pipeline_plan<void, T> pull_from(const Handle& source) {
  return pipeline_plan<void, T>{detail::source_plan(detail::untyped(source))};
}

} // namespace libpool
