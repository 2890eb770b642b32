#pragma once

#include <caf/atom.hpp>
#include <caf/type_id.hpp>

namespace libpool {

/// Asks a managed pool for its `pool_stats`.
using stats_atom = caf::atom_constant<caf::atom("STATS")>;
/// Sets the number of workers of a managed pool.
using resize_atom = caf::atom_constant<caf::atom("RESIZE")>;
/// Makes a managed pool stop accepting messages, and end when all tasks are
/// settled.
using drain_atom = caf::atom_constant<caf::atom("DRAIN")>;
/// Asks a source for one more item of a pipeline.
using pull_atom = caf::atom_constant<caf::atom("PULL")>;
/// Answer of a source that has no more items.
using end_atom = caf::atom_constant<caf::atom("END")>;

} // namespace libpool
