#include "support/stage.hpp"

#include "port/caf_pool.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <cstddef>
#include <utility>

namespace bench {

stage::stage(caf::actor_system& system, actors workers)
  : system_(system), workers_(std::move(workers)) {
  // nop
}

caf::actor stage::caf(caf::actor_pool::policy how) {
  return add(
    port::make_caf_pool(system_, workers_.size(), each(), std::move(how)));
}

caf::actor stage::ours(libpool::actor_pool::policy how) {
  return add(libpool::actor_pool::make(system_, workers_.size(), each(),
                                       std::move(how)));
}

void stage::close() {
  for (auto& pool : pools_)
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  for (auto& worker : workers_)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

caf::actor stage::add(caf::actor pool) {
  pools_.push_back(pool);
  return pool;
}

/// Returns one worker per call.
std::function<caf::actor()> stage::each() {
  return [this, i = std::size_t{0}]() mutable { return workers_[i++]; };
}

} // namespace bench
