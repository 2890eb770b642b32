#include "libpool/actors/distributed.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/atoms.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"
#include "libpool/nodes/actors/client_registry.hpp"
#include "libpool/nodes/actors/durable_intake.hpp"
#include "libpool/nodes/actors/durable_submitter.hpp"
#include "libpool/nodes/actors/node_registry.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/system_messages.hpp>

#include <stdexcept>
#include <string>

namespace libpool {

namespace {

/// Nothing if no distributed pool is behind it.
node_registry* registry_behind(const caf::actor& pool) noexcept {
  if (auto* found = pool_behind<managed_pool>(pool))
    if (const auto& entrance = found->entrance())
      return static_cast<node_registry*>(entrance->get());
  return nullptr;
}

node_registry& registry_of(const caf::actor& pool, const char* caller) {
  if (auto* result = registry_behind(pool))
    return *result;
  throw std::invalid_argument(std::string{"libpool: "} + caller
                              + ": the handle is not a distributed pool");
}

} // namespace

bool is_distributed(const caf::actor& pool) noexcept {
  return registry_behind(pool) != nullptr;
}

nodes_stats nodes_of(const caf::actor& pool) {
  return registry_of(pool, "nodes_of").stats();
}

std::shared_ptr<failed_messages> failed_messages_of(const caf::actor& pool) {
  auto* managed = pool_behind<managed_pool>(pool);
  return managed != nullptr ? managed->queue() : nullptr;
}

void detail::serve_nodes(const caf::actor& pool, const transport_opener& open,
                         std::optional<std::uint64_t> turn) {
  registry_of(pool, "serve").serve(open, turn);
}

void detail::serve_clients(const caf::actor& pool, const client_terms& limits,
                           const transport_opener& open) {
  if (is_nobody(pool))
    throw std::invalid_argument("libpool: serve: the handle is empty");
  auto made = make_client_registry(pool, limits);
  static_cast<client_registry&>(actor_behind(made)).serve(open);
}

void detail::serve_queue(const caf::actor& pool, const queue_terms& terms,
                         const work_queue_opener& open) {
  if (is_nobody(pool))
    throw std::invalid_argument("libpool: serve: the handle is empty");
  auto* managed = pool_behind<managed_pool>(pool);
  auto nodes = managed != nullptr ? managed->entrance() : nullptr;
  auto made = new_actor<durable_intake>(
    actor_behind(pool).home_system(), pool, nodes,
    managed != nullptr && managed->keep_to_nodes(), terms);
  auto queue = static_cast<durable_intake&>(actor_behind(made)).serve(open);
  if (managed != nullptr)
    managed->serves(queue);
}

void detail::submit_to_queue(const caf::actor& pool,
                             const submission_terms& terms,
                             const submission_queue_opener& open) {
  auto submitter = make_durable_submitter(actor_behind(pool).home_system(),
                                          terms, open);
  send_to(actor_behind(pool),
          caf::make_message(caf::sys_atom{}, caf::put_atom{}, submitter),
          nullptr);
}

std::shared_ptr<transport>
detail::connect_node(const caf::actor& pool,
                     const std::shared_ptr<transport_user>& node) {
  return registry_of(pool, "join_pool").connect(node);
}

void detail::end_pool(const caf::actor& pool, const caf::error& why) {
  send_to(actor_behind(pool),
          caf::make_message(caf::exit_msg{pool->address(), why}), nullptr);
}

} // namespace libpool
