#pragma once

#include "options.hpp"

namespace farm {

/// Has the pool of a front in another program hash a tree, and prints the
/// digests.
///
/// Errors: std::exception.
int run_submit(const submit_options& options);

} // namespace farm
