#include "libpool/actors/caf/port/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/log/level.hpp>
#include <caf/logger.hpp>

namespace libpool {

void log_warning(caf::actor_system& system, const std::string& text) {
  auto* before = caf::logger::current_logger();
  caf::logger::current_logger(&system);
  caf::logger::log(caf::log::level::warning, "libpool", "{}", text);
  caf::logger::current_logger(before);
}

} // namespace libpool
