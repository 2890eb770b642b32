#pragma once

#include "results.hpp"

#include <iosfwd>

namespace tenants {

/// The demands of all tenants.
void print(std::ostream& out, const scenario& scenario);

/// The experiences of all tenants, and the stats of the pool halfway.
void print(std::ostream& out, const run_result& run);

} // namespace tenants
