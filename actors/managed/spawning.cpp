#include "libpool/actors/managed/spawning.hpp"

#include "libpool/actors/user_function.hpp"

#include <caf/exit_reason.hpp>

namespace libpool {

void spawning::end() noexcept {
  make_ = nullptr;
  missing_.clear();
}

caf::actor spawning::make_named() const {
  return call_user("the factory", make_);
}

void spawning::failed(std::string problem, instant now) {
  problem_ = std::move(problem);
  crashed(now);
}

bool spawning::is_crash(const caf::error& reason) {
  return reason && reason != caf::exit_reason::user_shutdown;
}

void spawning::ended(const caf::error& reason, instant now) {
  if (is_crash(reason))
    crashed(now);
}

void spawning::crashed(instant now) {
  if (has_factory())
    missing_.crashed(now);
}

} // namespace libpool
