#pragma once

#include "result.hpp"
#include "scenario.hpp"

namespace poolsim {

/// Simulates the scenario: runs the dispatcher of managed pools on a clock that
/// jumps from event to event. A scenario always gives the same result.
///
/// Order:  at one instant: ends of tasks, in the order of their starts; workers
///         that join and leave; submissions; dispatch. Events that become due
///         at the same instant start another round.
/// Cost:   O(log tasks + log workers) for each event, besides the policy. Only
///         tasks in the pool are kept; other tasks have only their rows.
result simulate(const scenario& scenario, const run_listener& listener = {});

/// Simulates the scenario with the given parts, in place of a policy that the
/// scenario names. The window of workers is 1 unless the scenario sets it, as
/// in a pool with user-defined parts.
result simulate(const scenario& scenario, libpool::composition parts,
                const run_listener& listener = {});

} // namespace poolsim
