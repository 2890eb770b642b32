#include "submit.hpp"

#include "libpool/actors/message_functions.hpp"
#include "libpool/nodes/connect.hpp"
#include "node.hpp"
#include "tree_run.hpp"

#include <caf/all.hpp>

#include <string>

namespace farm {

int run_submit(const submit_options& options) {
  tree_run run{options.tree};
  node_config config{few_threads};
  caf::actor_system system{config};
  libpool::connect_options manner;
  manner.name = options.to.name;
  manner.lease = options.lease;
  manner.queue = run.tasks();
  manner.durable = options.durable;
  if (options.durable)
    manner.id_of = [](const libpool::message_content& task) {
      return *libpool::first_of<std::string>(task);
    };
  {
    const owned_pool pool{
      libpool::connect(system, pool_at(options.to), manner)};
    run.hash(system, pool.handle(), nullptr, options.durable);
  }
  return run.finish();
}

} // namespace farm
