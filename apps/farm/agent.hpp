#pragma once

#include "options.hpp"

namespace farm {

/// Hashes files for a front until the pool ends or a signal comes. With the
/// first signal it ends what it has begun, and gives back the rest.
///
/// Errors: std::exception.
int run_agent(const agent_options& options);

} // namespace farm
