#pragma once

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// Writes a warning to CAF's log; nothing if CAF was built without one.
void log_warning(caf::actor_system& system, const std::string& text);

} // namespace libpool
