#pragma once

#include "controls.hpp"
#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pooltop {

/// Where a table is drawn, and which of its rows.
struct frame {
  std::size_t width = 0;
  std::size_t first = 0; ///< row
  std::size_t rows = 0;  ///< at most
  std::size_t sorted_by = 0;
  bool has_focus = true;
};

std::size_t rows_of(table_kind which, const pool& of);

/// How many columns can be sorted by.
std::size_t columns_of(table_kind which);

/// The title of the column that it is sorted by.
std::string title_of(table_kind which, std::size_t column);

/// The titles and the rows. Columns that matter less are left out where the
/// width does not suffice; the name gets what is left.
std::vector<line> table(table_kind which, const pool& of, const frame& in,
                        const symbols& with);

} // namespace pooltop
