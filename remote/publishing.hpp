#pragma once

#include "libpool/remote/gate_options.hpp"
#include "libpool/remote/network.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <cstdint>

namespace libpool {

/// Returns why a gate with these options must not open: `errc::insecure`, with
/// what is missing. Returns an empty error if it may open.
caf::error objection_to(const gate_options& options, const tls_files& tls);

/// Makes the actor listen at the address of the options, if `objection_to` has
/// no objection. Returns the port. Blocks until the port is open.
///
/// Errors: those of `objection_to`; `errc::not_connected` if `load_network` was
///         not called, or if the actor cannot listen at the port.
caf::expected<std::uint16_t> publish_actor(caf::actor_system& system,
                                           const caf::actor& published,
                                           const gate_options& options);

/// Closes the port at which the actor was published with these options.
/// Existing connections stay. Blocks until the port is closed.
void unpublish_actor(caf::actor_system& system, const caf::actor& published,
                     const gate_options& options, std::uint16_t port);

} // namespace libpool
