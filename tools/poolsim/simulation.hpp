#pragma once

#include "result.hpp"
#include "scenario.hpp"

namespace poolsim {

/// Runs the dispatcher of the pools on a clock that jumps from event to event.
/// A scenario always gives the same result.
///
/// Order:  at one instant: ends of tasks, in the order of their starts; workers
///         that join and leave; submissions; dispatch. Events that become due
///         at the same instant start another round.
/// Cost:   O(log tasks + log workers) for each event, besides the policy. Only
///         tasks in the pool are kept; other tasks have only their rows.
result simulate(const scenario& scenario, const run_listener& listener = {});

/// Runs the given parts in place of the policy that the scenario names. Windows
/// are 1 unless the scenario has them, as in a pool of such parts.
result simulate(const scenario& scenario, libpool::composition parts,
                const run_listener& listener = {});

} // namespace poolsim
