#pragma once

#include <caf/fwd.hpp>

namespace libpool {

/// Registers libpool with CAF. To be called with each configuration, before an
/// actor system is made from it.
///
///     caf::actor_system_config config;
///     libpool::set_up(config);
///     caf::actor_system system{config};
///
/// Errors, and the answers of pools and pipelines to ('SYS', 'STATS'), can then
/// be sent to other nodes that have called this function as well.
///
/// With CAF 1, actors also get mailboxes by which managed pools track the
/// messages that they send. Without this call, a managed pool refuses workers
/// with `errc::untrackable_worker`, which says so. With CAF 0.17, pools work
/// without this call, but `system.render(error)` has no words for their errors.
void set_up(caf::actor_system_config& config);

} // namespace libpool
