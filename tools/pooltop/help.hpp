#pragma once

#include "line.hpp"

#include <vector>

namespace pooltop {

/// What the keys do, and what the words mean.
std::vector<line> help_text();

} // namespace pooltop
