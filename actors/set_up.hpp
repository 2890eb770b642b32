#pragma once

#include <caf/fwd.hpp>

namespace libpool {

/// Tells CAF what it has to know of libpool; to be called for each
/// configuration, before an actor system is made of it.
///
///     caf::actor_system_config config;
///     libpool::set_up(config);
///     caf::actor_system system{config};
///
/// Errors, and what pools and pipelines answer to ('SYS', 'STATS'), can go to
/// other nodes that have called this as well.
///
/// With CAF 1 it also gives actors mailboxes by which managed pools track what
/// they send: without it, a managed pool refuses workers with
/// `errc::untrackable_worker`, which says so. With CAF 0.17 pools work without
/// it, but `system.render(error)` knows no words for their errors.
void set_up(caf::actor_system_config& config);

} // namespace libpool
