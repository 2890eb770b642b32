#pragma once

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

namespace libpool {

/// Returns the actor of CAF that publishes actors and connects to other nodes,
/// with TLS if `secure`. It handles one request at a time. While it connects to
/// a machine that does not answer, all other requests wait.
///
/// Errors: `errc::not_connected` if `load_network` was not called.
caf::expected<caf::actor> middleman_of(caf::actor_system& system, bool secure);

} // namespace libpool
