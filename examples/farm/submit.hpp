#pragma once

#include "options.hpp"

namespace farm {

/// Hashes a tree by the pool of a front in another program, and prints the
/// digests.
///
/// Errors: std::exception.
int run_submit(const submit_options& options);

} // namespace farm
