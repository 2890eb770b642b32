#pragma once

#include "libpool/export.hpp"

#include <caf/fwd.hpp>

namespace libpool {

/// Registers libpool with CAF. Must be called for each configuration before an
/// actor system is made from the configuration.
///
///     caf::actor_system_config config;
///     libpool::set_up(config);
///     caf::actor_system system{config};
///
/// After that, errors of libpool, and the answers of pools and pipelines to
/// ('SYS', 'STATS'), can be sent to other processes that have called this
/// function as well.
///
/// With CAF 1, actors also get mailboxes that report to managed pools what
/// happens to the messages of their workers. Without this call, a managed pool
/// refuses workers with `errc::untrackable_worker`. With CAF 0.17, pools work
/// without this call, but `system.render(error)` does not describe errors of
/// libpool.
LIBPOOL_EXPORT void set_up(caf::actor_system_config& config);

} // namespace libpool
