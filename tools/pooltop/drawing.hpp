#pragma once

#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <vector>

namespace pooltop {

/// The latest values, a cell each, in so many cells; the highest fills its
/// cell, and one that was not told is a gap.
line sparkline(const std::vector<value>& values, std::size_t width,
               const symbols& with);

/// A part of 1, as a bar of so many cells.
line bar(const value& share, std::size_t width, const symbols& with);

} // namespace pooltop
