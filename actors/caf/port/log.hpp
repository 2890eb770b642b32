#pragma once

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// Writes a warning to the log of CAF. Has no effect if CAF was built without a
/// log.
void log_warning(caf::actor_system& system, const std::string& text);

} // namespace libpool
