#include "libpool/remote/middlemen.hpp"

#include "libpool/actors/error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

namespace libpool {

caf::expected<caf::actor> middleman_of(caf::actor_system& system, bool secure) {
  if (!system.has_middleman() || (secure && !system.has_openssl_manager()))
    return make_error(errc::not_connected,
                      "the actor system has no network: call load_network for "
                      "its configuration");
  return caf::actor_cast<caf::actor>(secure
                                       ? system.openssl_manager().actor_handle()
                                       : system.middleman().actor_handle());
}

} // namespace libpool
