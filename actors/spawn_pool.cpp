#include "libpool/actors/spawn_pool.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"

#include <algorithm>

namespace libpool {

std::size_t workers_of(caf::actor_system& system,
                       const managed_options& options) {
  return options.workers > 0 ? options.workers
                             : std::max(threads_of(system), std::size_t{1});
}

caf::actor spawn_pool(caf::actor_system& system, std::size_t n,
                      const std::function<caf::actor()>& factory) {
  return actor_pool::make(system, n, factory, actor_pool::shared_queue());
}

caf::actor spawn_pool(caf::actor_system& system, const managed_options& options,
                      const std::function<caf::actor()>& factory) {
  return actor_pool::make(system, workers_of(system, options), factory,
                          actor_pool::shared_queue(options));
}

} // namespace libpool
