#pragma once

#include "options.hpp"

namespace farm {

/// Has agents hash a tree, and prints the digests; or serves submitters.
///
/// Errors: std::exception.
int run_front(const front_options& options);

} // namespace farm
