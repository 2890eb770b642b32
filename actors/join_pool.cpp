#include "libpool/actors/join_pool.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/spawn_pool.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"
#include "libpool/nodes/actors/boot_clock.hpp"
#include "libpool/nodes/actors/node_agent.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <random>
#include <stdexcept>
#include <string>

namespace libpool {

namespace {

void require_join_option(bool holds, const char* option,
                         const std::string& bound) {
  if (!holds)
    throw std::invalid_argument(std::string{"libpool: join_options: "} + option
                                + " must be " + bound);
}

void require_join_least(std::size_t least, const char* option,
                        std::size_t given) {
  require_join_option(given >= least, option,
                      "at least " + std::to_string(least) + ", got "
                        + std::to_string(given));
}

std::uint64_t draw_number() {
  std::random_device entropy;
  return std::uint64_t{entropy()} << 32U | entropy();
}

/// The options of the local pool.
managed_options pool_options_of(caf::actor_system& system,
                                const join_options& options) {
  auto result = options.pool;
  result.busy_until = busy_until::answer;
  if (result.workers == 0)
    result.workers = options.slots;
  result.workers = workers_of(system, result);
  return result;
}

caf::actor make_local_pool(caf::actor_system& system,
                           const join_options& options,
                           const managed_options& pool,
                           const std::function<caf::actor()>& factory) {
  auto policy = options.choose != nullptr ? options.choose(pool)
                                          : actor_pool::shared_queue(pool);
  require_join_option(policy.managed() != nullptr, "choose",
                      "a function that returns a policy of managed pools, got "
                      "one of direct pools");
  return actor_pool::make(system, pool.workers, factory, std::move(policy));
}

node_setup setup_of(detail::front_access access, const join_options& options,
                    std::size_t slots) {
  node_setup result;
  result.open = std::move(access.open);
  result.now = access.now != nullptr ? std::move(access.now) : boot_time;
  result.run = access.run ? *access.run : incarnation{draw_number()};
  result.offer = {slots, options.portion, options.credit};
  result.who.name = options.name;
  result.who.labels = options.labels;
  return result;
}

node_agent& agent_behind(const caf::actor& handle, const char* caller) {
  if (auto* result = pool_behind<node_agent>(handle))
    return *result;
  throw std::invalid_argument(std::string{"libpool: "} + caller
                              + ": the handle is not a node agent");
}

} // namespace

void check(const join_options& options) {
  require_join_option(options.slots <= options.pool.most_workers, "slots",
                      "at most pool.most_workers ("
                        + std::to_string(options.pool.most_workers) + "), got "
                        + std::to_string(options.slots));
  require_join_least(1, "portion", options.portion);
  require_join_least(1024, "credit", options.credit);
  check(options.pool);
}

/// The pool is not referred to: it may end before its nodes.
caf::actor join_pool(caf::actor_system& system, const caf::actor& actor,
                     const join_options& options,
                     const std::function<caf::actor()>& factory) {
  if (!is_distributed(actor))
    throw std::invalid_argument(
      "libpool: join_pool: the handle is not a distributed pool");
  auto open = [pool = caf::actor_cast<caf::actor_addr>(actor)](
                const std::shared_ptr<transport_user>& node) {
    if (auto strong = caf::actor_cast<caf::actor>(pool))
      return detail::connect_node(strong, node);
    throw std::runtime_error("the pool has ended");
  };
  return detail::join_pool(system, {open}, options, factory);
}

caf::actor detail::join_pool(caf::actor_system& system, front_access access,
                             const join_options& options,
                             const std::function<caf::actor()>& factory) {
  check(options);
  auto pool = pool_options_of(system, options);
  auto slots = options.slots > 0 ? options.slots : pool.workers;
  auto local = make_local_pool(system, options, pool, factory);
  auto result = new_actor<node_agent>(
    system, std::move(local), setup_of(std::move(access), options, slots));
  static_cast<node_agent&>(actor_behind(result)).begin();
  return result;
}

agent_state agent_stats(const caf::actor& agent) {
  return agent_behind(agent, "agent_stats").state();
}

} // namespace libpool
