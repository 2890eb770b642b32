#pragma once

#include <caf/atom.hpp>
#include <caf/type_id.hpp>

namespace libpool {

/// Requests the stats of a managed pool (`pool_stats`) or of a pipeline
/// (`pipeline_stats`).
using stats_atom = caf::atom_constant<caf::atom("STATS")>;
/// Sets the number of workers of a managed pool.
using resize_atom = caf::atom_constant<caf::atom("RESIZE")>;
/// Makes a managed pool or a pipeline stop accepting messages, and end when all
/// accepted messages are settled.
using drain_atom = caf::atom_constant<caf::atom("DRAIN")>;
/// Request to a managed pool for an answer when all accepted messages are
/// settled.
using idle_atom = caf::atom_constant<caf::atom("IDLE")>;
/// Cancels messages of a managed pool.
using cancel_atom = caf::atom_constant<caf::atom("CANCEL")>;
/// Pauses a managed pool, or a part of it.
using pause_atom = caf::atom_constant<caf::atom("PAUSE")>;
/// Ends a pause of a managed pool, or of a part of it.
using resume_atom = caf::atom_constant<caf::atom("RESUME")>;
/// Request of a pipeline to a source for one more item.
using pull_atom = caf::atom_constant<caf::atom("PULL")>;
/// Answer of a source that has no more items.
using end_atom = caf::atom_constant<caf::atom("END")>;

} // namespace libpool
