#pragma once

#include "result.hpp"

#include <iosfwd>

namespace poolsim {

/// Whether the report has one row for each task.
enum class detail { tasks, summary };

/// Writes the result as one JSON object. The format is in docs/poolsim.md.
/// Equal results give equal bytes.
///
/// Errors: the stream goes bad.
void write_report(std::ostream& out, const result& result, detail detail);

/// Writes tables of the pool, its flows and its waiting tasks in Markdown, with
/// aligned columns.
///
/// Errors: the stream goes bad.
void write_table(std::ostream& out, const result& result);

} // namespace poolsim
