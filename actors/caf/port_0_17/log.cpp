#include "libpool/actors/caf/port/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/logger.hpp>

namespace libpool {

void log_warning(caf::actor_system& system, const std::string& text) {
  CAF_SET_LOGGER_SYS(&system);
  CAF_LOG_WARNING(text);
  static_cast<void>(text);
}

} // namespace libpool
