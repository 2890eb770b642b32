#pragma once

#include <iosfwd>
#include <string_view>

namespace poolsim {

/// Writes the scenario of a pool that was recorded: the tasks of a trace in the
/// format of `libpool::write_trace`, with the times at which they came and for
/// which they ran, their flows and kinds, and the workers of the trace.
///
/// A task with several runs has the time of its last run. A task without a run
/// has the mean time of the runs of all tasks. The policy is `shared_queue`,
/// since a trace does not name the policy.
///
/// Errors: invalid_scenario if the text is not a trace with a worker and a run;
///         the stream goes bad.
void write_scenario(std::ostream& out, std::string_view trace);

} // namespace poolsim
