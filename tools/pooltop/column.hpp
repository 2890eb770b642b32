#pragma once

#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"
#include "table.hpp"

#include <cstddef>
#include <vector>

namespace pooltop {

/// Kind of the values of a column. Remaining width goes first to columns of
/// texts, as much as they can use, and then to columns of bars.
enum class content { number, text, bar };

/// A column of a table.
struct column {
  const char* title = "";
  /// Number in JSON by which rows are sorted, the highest first; nullptr: rows
  /// are sorted by the text.
  const char* figure = nullptr;
  std::size_t width = 0; ///< minimum
  /// Columns of a higher rank are left out first.
  int rank = 0;
  line (*show)(const row&, const column&, std::size_t width,
               const symbols&) = nullptr;
  content holds = content::number;
  /// Whether the lowest value comes first.
  bool is_ascending = false;

  /// Returns the number of the row; unset in a column of texts.
  value operator()(const row& of) const {
    return figure == nullptr ? value{} : of[figure];
  }
};

using columns = std::vector<column>;

/// Returns the titles and the rows.
std::vector<line> table_of(const std::vector<row>& rows, const columns& all,
                           const frame& in, const symbols& with);

} // namespace pooltop
