#pragma once

#include "controls.hpp"
#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pooltop {

/// Position of a table on the screen, and the rows to draw.
struct frame {
  std::size_t width = 0;
  std::size_t first = 0; ///< first row
  std::size_t rows = 0;  ///< maximum number of rows
  std::size_t sorted_by = 0;
  bool has_focus = true;
};

std::size_t rows_of(table_kind which, const pool& of);

/// Returns the number of columns by which the table can be sorted.
std::size_t columns_of(table_kind which);

/// Returns the titles and the rows. Less important columns are left out if the
/// width is too small; the column of names gets the remaining width.
std::vector<line> table(table_kind which, const pool& of, const frame& in,
                        const symbols& with);

} // namespace pooltop
