#include "libpool/actors/managed/endings.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

namespace libpool {

void endings::drain(user_answer answer) {
  drains_ = true;
  if (answer != nullptr)
    drain_answers_.push_back(std::move(answer));
}

void endings::watch(caf::actor_system& system, watcher& pool) {
  auto& server = system.spawn_serv();
  if (server == nullptr)
    return;
  system_ = caf::actor_cast<caf::actor_addr>(server);
  libpool::watch(*server->get(), pool, system_number);
}

void endings::unwatch_system(watcher& pool) {
  if (auto server = caf::actor_cast<caf::strong_actor_ptr>(system_))
    unwatch(*server->get(), pool, system_number);
}

bool endings::is_end_of(caf::actor_system& system) {
  is_blind_ = !has_ended_ && system.await_actors_before_shutdown();
  return !is_blind_;
}

} // namespace libpool
