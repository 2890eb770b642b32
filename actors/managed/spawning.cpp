#include "libpool/actors/managed/spawning.hpp"

#include "libpool/actors/user_function.hpp"

#include <caf/exit_reason.hpp>

namespace libpool {

bool spawning::is_crash(const caf::error& reason) {
  return reason && reason != caf::exit_reason::user_shutdown;
}

caf::actor spawning::make_named() const {
  return call_user("the factory", make_);
}

} // namespace libpool
