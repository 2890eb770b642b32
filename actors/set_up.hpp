#pragma once

#include <caf/fwd.hpp>

namespace libpool {

/// Tells CAF what it has to know of libpool; to be called once, before the
/// actor system is made.
///
///     caf::actor_system_config config;
///     libpool::set_up(config);
///     caf::actor_system system{config};
///
/// Errors of libpool then render as words, `system.render(error)`: "libpool: ",
/// what the code means, and the context, which names workers like
/// "worker 3 (squarer)", 3 being the id that the actor has in CAF. Errors, and
/// what pools and pipelines answer to ('SYS', 'STATS'), can go to other nodes
/// that have called this as well. Pools work without it, but their errors
/// render as numbers.
void set_up(caf::actor_system_config& config);

} // namespace libpool
