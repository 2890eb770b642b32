#pragma once

#include "line.hpp"

#include <vector>

namespace pooltop {

/// Returns the explanation of the keys and of the terms.
std::vector<line> help_text();

} // namespace pooltop
