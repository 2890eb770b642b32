#include "libpool/actors/caf/port/home.hpp"

#include <stdexcept>

namespace libpool {

namespace {

caf::actor_system& system_of(execution_context* host) {
  if (host == nullptr)
    throw std::invalid_argument(
      "libpool: actor_pool::make: the execution unit is null");
  return host->system();
}

} // namespace

home::home(execution_context* host) : system_(&system_of(host)) {
  // nop
}

} // namespace libpool
