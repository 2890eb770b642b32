#pragma once

#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <vector>

namespace pooltop {

/// Draws the latest values in `width` cells, one cell for each value. The
/// highest value fills its cell, and an unknown value is a gap.
line sparkline(const std::vector<value>& values, std::size_t width,
               const symbols& with);

/// Draws a share, from 0 to 1, as a bar of `width` cells.
line bar(const value& share, std::size_t width, const symbols& with);

} // namespace pooltop
