#include "libpool/actors/pipeline.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/pipeline/pipeline_actor.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace libpool {

namespace {

pipeline_actor& pipeline_behind(const caf::actor& handle, const char* caller) {
  if (auto* result = pool_behind<pipeline_actor>(handle))
    return *result;
  throw std::invalid_argument(std::string{"libpool: pipeline::"} + caller
                              + ": the handle is not a pipeline");
}

/// How many workers the actor of a stage has; any other actor is one.
std::size_t workers_of(const caf::actor& handle) {
  auto* pool = pool_behind<pool_front>(handle);
  return pool == nullptr ? 1 : pool->stats().workers;
}

/// How many items there are two for each worker, or as many as another pipeline
/// has room for.
std::size_t credit_of(const detail::stage_plan& plan,
                      const caf::actor& handle) {
  if (plan.options.credit)
    return *plan.options.credit;
  if (auto* inner = pool_behind<pipeline_actor>(handle))
    return inner->credit();
  auto workers = plan.workers > 0 ? plan.workers : workers_of(handle);
  return std::clamp(2 * workers, std::size_t{2}, detail::most_credit);
}

using members = std::vector<pipeline_actor::member>;

void stop(const members& made) {
  for (auto& each : made)
    if (each.is_owned)
      send_exit(each.handle,
                caf::make_message(caf::exit_msg{
                  each.handle.address(), caf::exit_reason::user_shutdown}),
                nullptr);
}

/// The actors of the stages, and of the source if there is one.
members make_members(caf::actor_system& system,
                     const detail::plan_parts& plan) {
  auto plans = plan.stages;
  if (plan.source)
    plans.push_back(*plan.source);
  members result;
  try {
    for (auto& each : plans) {
      auto handle = each.make(system);
      result.push_back({each.name, handle, each.is_owned, 1});
      result.back().credit = credit_of(each, handle);
    }
  } catch (...) {
    stop(result);
    throw;
  }
  return result;
}

void check(const detail::plan_parts& plan, const pipeline_options& options) {
  if (plan.stages.empty())
    throw std::invalid_argument(
      "libpool: a pipeline must have at least 1 stage, got 0");
  if (options.max_waiting > detail::most_credit)
    throw std::invalid_argument(
      "libpool: pipeline_options: max_waiting must be at most "
      + std::to_string(detail::most_credit) + ", got "
      + std::to_string(options.max_waiting));
}

} // namespace

pipeline_stats pipeline::stats(const caf::actor& handle) {
  return pipeline_behind(handle, "stats").stats();
}

std::vector<caf::actor> pipeline::pools(const caf::actor& handle) {
  auto result = pipeline_behind(handle, "pools").stage_actors();
  for (auto& each : result)
    if (pool_behind<pool_front>(each) == nullptr)
      each = caf::actor{};
  return result;
}

void pipeline::drain(const caf::actor& handle) {
  send_to(pipeline_behind(handle, "drain"),
          caf::make_message(caf::sys_atom{}, drain_atom{}), nullptr);
}

cancel_counts pipeline::cancel(const caf::actor& handle,
                               const selection& selection) {
  return pipeline_behind(handle, "cancel").cancel(selection);
}

caf::actor detail::spawn_pipeline(caf::actor_system& system,
                                  const plan_parts& plan,
                                  const pipeline_options& options) {
  check(plan, options);
  caf::actor_config cfg;
  auto result = caf::make_actor<pipeline_actor, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg,
    make_members(system, plan), plan.source.has_value(), options);
  static_cast<pipeline_actor&>(actor_behind(result)).begin();
  return result;
}

} // namespace libpool
