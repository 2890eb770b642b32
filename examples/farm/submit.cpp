#include "submit.hpp"

#include "libpool/remote/connect.hpp"
#include "node.hpp"
#include "tree_run.hpp"

#include <caf/all.hpp>

namespace farm {

int run_submit(const submit_options& options) {
  tree_run run{options.tree};
  node_config config{few_threads};
  caf::actor_system system{config};
  libpool::connect_options how;
  how.name = options.to.name;
  how.lease = options.lease;
  how.queue = run.tasks();
  {
    const owned_pool pool{libpool::connect(system, pool_at(options.to), how)};
    run.hash(system, pool.handle(), nullptr);
  }
  return run.finish();
}

} // namespace farm
