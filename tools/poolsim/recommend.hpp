#pragma once

#include "result.hpp"

#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

namespace poolsim {

/// Returns how evenly workers were shared between flows: Jain's index, from 1 ÷
/// flows to 1, of the work that was done for each flow, relative to its fair
/// part. At each moment, the fair part of a flow is that of the max-min fair
/// allocation of the busy workers to the tasks that each flow has in the pool.
/// `runs`: all runs of the simulation. Unset without two flows that had tasks,
/// and with more than 64 flows.
///
/// Source: Jain, Chiu, Hawe, A Quantitative Measure of Fairness, 1984.
/// Cost:   O(tasks log tasks + tasks · flows log flows).
std::optional<double> fairness_of(const result& result,
                                  const std::vector<task_run>& runs);

/// Runs the scenario under each policy of the catalogue that fits it, with
/// three seeds each, from the seed of the scenario on. Writes a table of the
/// means of the figures over the seeds, in Markdown, and a sentence with the
/// policy to choose.
///
/// Policies are compared in four steps. The policies that complete the most
/// tasks stay, within 0.1 % of all tasks. Among these, the policies with the
/// highest Jain's index between flows stay, within 0.05. Among these, the
/// policies with the lowest 95th percentile of responses stay, within 1 %. The
/// choice is the policy with the lowest 99th percentile; of equals, the first
/// in the catalogue.
///
/// Errors: invalid_scenario, that of the scenario as it is; the stream goes
/// bad.
void write_recommendation(std::ostream& out, std::string_view scenario);

} // namespace poolsim
