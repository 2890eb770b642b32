#include "libpool/actors/stage.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/pipeline/stage_worker.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <stdexcept>
#include <utility>

namespace libpool::detail {

namespace {

[[noreturn]] void reject(const std::string& stage, const std::string& why) {
  throw std::invalid_argument("libpool: stage '" + stage + "': " + why);
}

stage_plan checked(stage_plan plan) {
  if (plan.name.empty())
    reject(plan.name, "the name of a stage must not be empty");
  auto& credit = plan.options.credit;
  if (credit && (*credit < 1 || *credit > most_credit))
    reject(plan.name, "credit must be between 1 and "
                        + std::to_string(most_credit) + ", got "
                        + std::to_string(*credit));
  if (plan.options.workers < 1)
    reject(plan.name, "workers must be at least 1, got 0");
  return plan;
}

plan_parts just(stage_plan stage) {
  return {std::nullopt, {checked(std::move(stage))}};
}

/// Several of them take turns in a pool; one needs none.
caf::actor make_workers(caf::actor_system& system, const item_function& f,
                        std::size_t n) {
  if (n == 1)
    return spawn_stage_worker(system, f);
  managed_options options;
  options.measure_times = false;
  auto spawn = [&system, f] { return spawn_stage_worker(system, f); };
  return actor_pool::make(system, n, spawn, actor_pool::shared_queue(options));
}

} // namespace

plan_parts joined(plan_parts first, const plan_parts& second) {
  first.stages.insert(first.stages.end(), second.stages.begin(),
                      second.stages.end());
  return first;
}

plan_parts function_plan(const std::string& name, item_function f,
                         const stage_options& options) {
  auto make = [f = std::move(f),
               n = options.workers](caf::actor_system& system) {
    return make_workers(system, f, n);
  };
  return just({name, options, options.workers, true, std::move(make)});
}

plan_parts pool_plan(const std::string& name, std::size_t n,
                     const std::function<caf::actor()>& factory,
                     const policy& policy, const stage_options& options) {
  if (n == 0)
    reject(name, "workers must be at least 1, got 0");
  auto chosen = policy ? policy : actor_pool::shared_queue();
  auto make = [=](caf::actor_system& system) {
    return actor_pool::make(system, n, factory, chosen);
  };
  return just({name, options, n, true, std::move(make)});
}

plan_parts pool_plan(const std::string& name, caf::actor handle,
                     const stage_options& options) {
  if (is_nobody(handle))
    reject(name, "the handle is invalid");
  auto make = [handle = std::move(handle)](caf::actor_system&) {
    return handle;
  };
  return just({name, options, 0, false, std::move(make)});
}

plan_parts source_plan(item_generator f) {
  auto make = [f = std::move(f)](caf::actor_system& system) {
    return spawn_source_worker(system, f);
  };
  return {stage_plan{"source", {}, 1, true, std::move(make)}, {}};
}

plan_parts source_plan(caf::actor source) {
  if (is_nobody(source))
    throw std::invalid_argument("libpool: pull_from: the handle is invalid");
  auto make = [source = std::move(source)](caf::actor_system&) {
    return source;
  };
  return {stage_plan{"source", {}, 1, false, std::move(make)}, {}};
}

caf::error unexpected_item() {
  return caf::make_error(caf::sec::unexpected_message);
}

} // namespace libpool::detail
