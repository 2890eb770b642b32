#include "libpool/actors/caf/other_nodes.hpp"

#include "libpool/actors/caf/port/scheduling.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>

namespace libpool {

bool is_remote(const caf::actor_control_block& actor,
               const caf::actor_system& system) {
  return actor.nid != system.node();
}

void end_unreachable(front_actor& actor) {
  auto& system = actor.home_system();
  if (!may_have_other_nodes(system) || system.registry().running() > 0)
    actor.cleanup(caf::exit_reason::unreachable, nullptr);
}

} // namespace libpool
