#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace hash_tree {

/// Lines on the work of each worker in a run that is over, and, if the pool was
/// a managed one, on how long files took and waited.
std::vector<std::string> stats_lines(const run_state& state);

/// A line on the dead workers of a run that is over, and on the ends of its
/// tasks.
/// @pre state.pool
std::string chaos_line(const run_state& state);

/// Whether every task that was accepted has come to its end.
bool is_settled(const libpool::ledger& books);

} // namespace hash_tree
