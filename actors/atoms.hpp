#pragma once

#include <caf/atom.hpp>
#include <caf/type_id.hpp>

namespace libpool {

/// ('SYS', 'STATS'): a managed pool answers with its `pool_stats`.
using stats_atom = caf::atom_constant<caf::atom("STATS")>;

/// ('SYS', 'RESIZE', n): a managed pool is to have n workers.
using resize_atom = caf::atom_constant<caf::atom("RESIZE")>;

/// ('SYS', 'DRAIN'): a managed pool is to take no more, and to end when all is
/// done.
using drain_atom = caf::atom_constant<caf::atom("DRAIN")>;

} // namespace libpool
