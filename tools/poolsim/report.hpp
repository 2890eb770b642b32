#pragma once

#include "result.hpp"

#include <iosfwd>

namespace poolsim {

/// Whether the report has a row per task.
enum class detail { tasks, summary };

/// Writes the result as one JSON object; docs/poolsim.md has the format. The
/// same result always makes the same bytes.
///
/// Errors: the stream goes bad.
void write_report(std::ostream& out, const result& result, detail how);

} // namespace poolsim
