#pragma once

#include "libpool/pool.hpp"

#include <caf/actor.hpp>
#include <caf/actor_pool.hpp>
#include <caf/actor_system.hpp>

#include <functional>
#include <vector>

namespace bench {

using actors = std::vector<caf::actor>;

/// Workers, and the pools over them that take part.
class stage {
public:
  stage(caf::actor_system& system, actors workers);

  const actors& workers() const {
    return workers_;
  }

  caf::actor caf(caf::actor_pool::policy how);
  caf::actor ours(libpool::actor_pool::policy how);

  /// Stops the pools and the workers.
  void close();

private:
  caf::actor add(caf::actor pool);
  std::function<caf::actor()> each();

  caf::actor_system& system_;
  actors workers_;
  actors pools_;
};

} // namespace bench
