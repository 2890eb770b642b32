#pragma once

#include "result.hpp"
#include "scenario.hpp"

namespace poolsim {

/// Runs the dispatcher of the pools on a clock that jumps from event to event.
/// A scenario always gives the same result.
///
/// Order:  at one instant: ends of tasks, in the order of their start; workers
///         that join, and that leave; submissions; dispatch. Events that come
///         due by that at the same instant start another round of these.
/// Cost:   O(log tasks + log workers) per event, besides the policy. Only tasks
///         that are in the pool are kept; of the others, their rows.
result simulate(const scenario& scenario, const run_listener& listener = {});

/// Runs parts of one's own in place of the ones that the scenario names.
/// Windows are 1 unless the scenario has them, as in a pool of such parts.
result simulate(const scenario& scenario, libpool::composition parts,
                const run_listener& listener = {});

} // namespace poolsim
