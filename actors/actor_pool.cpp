/// How pools are made, asked and told things.

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/direct/direct_pool.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submit_gate.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/nodes/actors/node_registry.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace libpool {

namespace {

pool_front& managed_pool_behind(const caf::actor& handle, const char* caller) {
  if (auto* pool = pool_behind<pool_front>(handle))
    if (pool->is_managed())
      return *pool;
  throw std::invalid_argument(std::string{"libpool: actor_pool::"} + caller
                              + ": the handle is not a managed pool");
}

template <class Pool, class Policy>
caf::actor make_pool(caf::actor_system& system, Policy&& chosen_policy,
                     pool_options&& options) {
  caf::actor_config cfg;
  return caf::make_actor<Pool, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg,
    std::forward<Policy>(chosen_policy), std::move(options));
}

void open_to_nodes(const caf::actor& pool, const managed_setup& setup) {
  auto keep_waiting = [](caf::abstract_actor& actor, bool wait) {
    static_cast<managed_pool&>(actor).keep_waiting(wait);
  };
  auto registry = make_node_registry(pool, setup, keep_waiting);
  pool_behind<managed_pool>(pool)->open_to_nodes(
    caf::actor_cast<caf::strong_actor_ptr>(registry));
}

submit_gate& gate_behind(const caf::actor& handle, const char* caller) {
  if (auto* gate = pool_behind<submit_gate>(handle))
    return *gate;
  throw std::invalid_argument(std::string{"libpool: actor_pool::"} + caller
                              + ": the handle was not made by submit_only");
}

} // namespace

caf::actor actor_pool::make(home where, policy policy, pool_options options) {
  if (!policy)
    throw std::invalid_argument(
      "libpool: actor_pool::make: the policy is empty");
  if (auto* managed = policy.managed()) {
    auto result = make_pool<managed_pool>(where.system(), *managed,
                                          std::move(options));
    if (managed->nodes)
      open_to_nodes(result, *managed);
    return result;
  }
  return make_pool<direct_pool>(where.system(), std::move(policy),
                                std::move(options));
}

caf::actor actor_pool::make(home where, std::size_t n, const factory& fac,
                            policy policy, pool_options options) {
  if (fac == nullptr)
    throw std::invalid_argument(
      "libpool: actor_pool::make: the factory is empty");
  auto result = make(where, std::move(policy), std::move(options));
  auto& pool = *pool_behind<pool_front>(result);
  try {
    pool.populate(n, fac);
  } catch (...) {
    pool.stop(caf::exit_reason::user_shutdown, nullptr);
    throw;
  }
  return result;
}

pool_stats actor_pool::stats(const pool_ref& handle) {
  if (auto* pool = pool_behind<pool_front>(handle.handle()))
    return pool->stats();
  throw std::invalid_argument(
    "libpool: actor_pool::stats: the handle is not a pool");
}

pool_stats actor_pool::summary(const pool_ref& handle) {
  if (auto* pool = pool_behind<pool_front>(handle.handle()))
    return pool->summary();
  throw std::invalid_argument(
    "libpool: actor_pool::summary: the handle is not a pool");
}

void actor_pool::record(const pool_ref& handle, const recorder_limits& within) {
  managed_pool_behind(handle.handle(), "record").record(within);
}

recording actor_pool::recorded(const pool_ref& handle, instant since) {
  return managed_pool_behind(handle.handle(), "recorded").recorded(since);
}

void actor_pool::resize(const pool_ref& handle, std::size_t n) {
  auto& pool = managed_pool_behind(handle.handle(), "resize");
  if (auto why = static_cast<managed_pool&>(pool).objection_to_size(n))
    return throw_if(why);
  send_to(pool,
          caf::make_message(caf::sys_atom{}, resize_atom{}, std::uint64_t{n}),
          nullptr);
}

void actor_pool::drain(const pool_ref& handle) {
  send_to(managed_pool_behind(handle.handle(), "drain"),
          caf::make_message(caf::sys_atom{}, drain_atom{}), nullptr);
}

void actor_pool::when_idle(const pool_ref& handle,
                           std::function<void(errc)> told) {
  auto& pool = managed_pool_behind(handle.handle(), "when_idle");
  static_cast<managed_pool&>(pool).when_idle(std::move(told));
}

cancel_counts actor_pool::cancel(const pool_ref& handle,
                                 const selection& selection) {
  return managed_pool_behind(handle.handle(), "cancel").cancel(selection);
}

void actor_pool::pause(const pool_ref& handle, const pause_scope& scope) {
  throw_if(managed_pool_behind(handle.handle(), "pause").pause(scope));
}

void actor_pool::resume(const pool_ref& handle, const pause_scope& scope) {
  throw_if(managed_pool_behind(handle.handle(), "resume").resume(scope));
}

void actor_pool::set_limits(const pool_ref& handle, const throttles& within) {
  throw_if(
    managed_pool_behind(handle.handle(), "set_limits").set_limits(within));
}

void actor_pool::set_policy_values(const pool_ref& handle,
                                   const policy_values& values) {
  fair_queuing_options fair;
  fair.shares = values.shares.value_or(fair.shares);
  check(fair);
  priority_options ageing;
  ageing.age_step = values.age_step;
  check_each(ageing);
  auto& pool = managed_pool_behind(handle.handle(), "set_policy_values");
  throw_if(static_cast<managed_pool&>(pool).set_policy_values(values));
}

caf::actor actor_pool::submit_only(const caf::actor& pool) {
  if (pool_behind<inner_pool>(pool) == nullptr)
    throw std::invalid_argument("libpool: actor_pool::submit_only: the handle "
                                "must be a pool or a pipeline of this process");
  return make_submit_gate(pool);
}

submissions actor_pool::submissions_of(const pool_ref& handle) {
  return gate_behind(handle.handle(), "submissions_of").counts();
}

void actor_pool::close(const pool_ref& handle) {
  gate_behind(handle.handle(), "close")
    .end(errc::pool_closed, caf::exit_reason::user_shutdown, nullptr);
}

} // namespace libpool
