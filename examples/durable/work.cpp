#include "work.hpp"

#include "feeder.hpp"
#include "hasher.hpp"
#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <stdexcept>

namespace durable {

void work(job_queue& queue, const work_options& options, std::ostream& log,
          const std::atomic<bool>& stop) {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto make_worker = [&system, &options]() -> caf::actor {
    return system.spawn<hasher, caf::detached>(options.results);
  };
  caf::scoped_actor self{system};
  caf::error reason;
  self->monitor(system.spawn<feeder, caf::detached>(
    std::ref(queue), options, make_worker, std::ref(log), std::ref(stop)));
  self->receive([&](const caf::down_msg& down) { reason = down.reason; });
  if (reason)
    throw std::runtime_error(libpool::render(reason, system));
}

} // namespace durable
