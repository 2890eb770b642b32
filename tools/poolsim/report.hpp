#pragma once

#include "result.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace poolsim {

/// Whether the report has one row for each task.
enum class detail { tasks, summary };

/// Writes the result as one JSON object. The format is in docs/poolsim.md.
/// Equal results give equal bytes.
///
/// Errors: the stream goes bad.
void write_report(std::ostream& out, const result& result, detail detail);

/// Row of a table.
using cells = std::vector<std::string>;

/// Writes a table in Markdown with aligned columns: the first one to the left,
/// the others to the right. The first row has the names of the columns.
///
/// Errors: the stream goes bad.
void write_aligned(std::ostream& out, const std::vector<cells>& rows);

/// Returns the number with two decimals.
std::string with_decimals(double number);

/// Returns the time with its unit; `-` for a time that was not reached.
std::string cell_of(duration time);

/// Writes tables of the pool, its flows and its waiting tasks in Markdown, with
/// aligned columns.
///
/// Errors: the stream goes bad.
void write_table(std::ostream& out, const result& result);

} // namespace poolsim
