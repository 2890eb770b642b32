#include "front.hpp"

#include "hashing.hpp"
#include "herd.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "node.hpp"
#include "tree_run.hpp"

#include "console/command_line.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace farm {

namespace {

constexpr std::size_t most_local_nodes = 64;

std::size_t local_nodes(const front_options& options) {
  return options.agents > 0 ? options.agents
                            : console::one_per_core(most_local_nodes);
}

caf::actor make_pool(caf::actor_system& system, const front_options& options,
                     const tree_run& run) {
  libpool::node_options nodes;
  nodes.lease = options.lease;
  return libpool::actor_pool::make(
    system, libpool::actor_pool::distributed(
              nodes, libpool::actor_pool::shared_queue(run.tasks())));
}

/// Nodes of this process, which end with the pool.
void join_here(caf::actor_system& system, const caf::actor& pool,
               std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    libpool::join_options offer;
    offer.slots = 1;
    offer.name = name_of_own(i);
    const auto make = [&] { return system.spawn(hasher, offer.name); };
    libpool::join_pool(system, pool, offer, make);
  }
}

std::vector<node_glance> nodes_of(const caf::actor& pool) {
  std::vector<node_glance> out;
  for (const auto& each : libpool::nodes_of(pool).nodes)
    out.push_back(
      {each.worker.id(), each.name, each.labels, each.slots, each.in_flight});
  return out;
}

libpool::serve_options serving(const front_options& options, tree_run& run,
                               std::atomic<bool>& is_serving) {
  libpool::serve_options out;
  out.standby = options.standby;
  if (options.durable) {
    libpool::durable_options queue;
    queue.retries = options.tree.retries;
    queue.redelivery = options.lease;
    queue.keep_results = std::max(queue.keep_results, queue.redelivery);
    out.durable = queue;
  }
  out.on_serving = [&] {
    is_serving = true;
    run.tell(fmt::format("serves the pool '{}' at {}", pool_name,
                         options.to.servers.front()));
  };
  out.on_waiting = [&](const std::string& why) { run.tell("waits: " + why); };
  return out;
}

/// `is_serving` becomes true when the pool is served.
void run_pool(caf::actor_system& system, const caf::actor& pool,
              const front_options& options, tree_run& run,
              std::atomic<bool>& is_serving) {
  std::optional<herd> own;
  const auto nodes = [&] { return nodes_of(pool); };
  if (options.local)
    join_here(system, pool, local_nodes(options));
  else
    libpool::serve(pool, pool_at(options.to),
                   serving(options, run, is_serving));
  if (!options.local && options.agents > 0)
    own.emplace(options, [&](const std::string& line) { run.tell(line); });
  if (options.tree.paths.empty())
    run.serve(system, pool, nodes, is_serving,
              options.durable || options.standby);
  else
    run.hash(system, pool, nodes);
}

} // namespace

int run_front(const front_options& options) {
  tree_run run{options.tree};
  std::atomic<bool> is_serving{false};
  node_config config{options.local ? local_nodes(options) : few_threads};
  caf::actor_system system{config};
  {
    const owned_pool pool{make_pool(system, options, run)};
    run_pool(system, pool.handle(), options, run, is_serving);
  }
  return run.finish();
}

} // namespace farm
