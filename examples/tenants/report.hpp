#pragma once

#include "results.hpp"

#include <iosfwd>

namespace tenants {

/// Who wants what.
void print(std::ostream& out, const scenario& what);

/// What the tenants saw, and what the pool said halfway.
void print(std::ostream& out, const run_result& what);

} // namespace tenants
