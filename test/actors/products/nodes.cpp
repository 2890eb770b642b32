/// Pools whose workers are nodes, in the same actor system.

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/join_pool.hpp"
#include "world.hpp"

#include <chrono>
#include <string>

namespace products {

caf::actor world::make_distributed() {
  using libpool::actor_pool;
  libpool::node_options how;
  how.lease = 4 * longest_step; // a step that is longer loses nodes
  auto record = std::make_shared<pool_record>();
  auto policy = policy_at(first_depth_, record);
  record->waits_when_empty = true;
  auto result = add_managed(
    actor_pool::make(crank_.system(), actor_pool::distributed(how, policy)),
    record);
  for (auto i = 0; i < 2; ++i)
    add_node(result);
  return result;
}

/// Adds a node with a managed pool of its own.
void world::add_node(const caf::actor& to) {
  auto record = std::make_shared<pool_record>();
  pools_.push_back(record);
  libpool::join_options offer;
  offer.slots = slots_of_nodes_;
  offer.name = "node" + std::to_string(nodes_.size());
  offer.choose = [this, record](const libpool::managed_options& given) {
    return policy_at(first_depth_ + 1, record, given);
  };
  libpool::detail::front_access access;
  access.open = [pool = to.address()](const auto& node) {
    auto front = caf::actor_cast<caf::actor>(pool);
    if (front == nullptr)
      throw std::runtime_error{"the pool has ended"};
    return libpool::detail::connect_node(front, node);
  };
  access.now = [&clock = crank_.system().clock()] { return clock.now(); };
  access.run = libpool::incarnation{nodes_.size() + 1};
  auto add = [this, record, told = records_] {
    require_workers(*told);
    return add_worker(record);
  };
  nodes_.push_back(
    libpool::detail::join_pool(crank_.system(), access, offer, add).address());
}

caf::actor world::some_node() {
  std::vector<caf::actor_addr> alive;
  std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(alive), lives);
  return alive.empty()
           ? nullptr
           : caf::actor_cast<caf::actor>(alive[below(alive.size())]);
}

} // namespace products
