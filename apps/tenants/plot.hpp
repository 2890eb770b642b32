#pragma once

#include "results.hpp"

#include <iosfwd>
#include <vector>

namespace tenants {

/// Draws the experiences of all tenants with each policy as one SVG file that
/// needs nothing else: for each tenant and policy a line from the median to the
/// 99th percentile of its response times.
///
/// Errors: those of the stream.
void write_plot(std::ostream& out, const scenario& scenario,
                const std::vector<run_result>& runs);

} // namespace tenants
