#pragma once

#include "job.hpp"
#include "policies.hpp"
#include "results.hpp"

#include <caf/fwd.hpp>

namespace hash_tree {

/// Hashes all files through a pool with this policy, which lives as long as the
/// call does. `out` is called in another thread, but not after the return.
/// Returns the seconds that it took.
///
/// @pre is_managed(policy), if there is to be chaos
/// Errors: std::runtime_error if the actor in charge fails.
double run_pool(caf::actor_system& system, const pool_policy& policy,
                const job& job, sink& out, run_state& state);

/// Hashes the files without a pool, in no particular order: plain threads, each
/// of which takes the next file from the walk. Pools are compared with this.
double run_threads(const job& job, run_state& state);

} // namespace hash_tree
