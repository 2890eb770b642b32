#pragma once

#include "libpool/remote/gate_options.hpp"
#include "libpool/remote/network.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <cstdint>

namespace libpool {

/// Why a gate of these options must not open: `errc::insecure`, with what is
/// missing. No error if it may.
caf::error objection_to(const gate_options& options, const tls_files& tls);

/// Has the actor listen where the options say, if there is no objection to
/// them. Returns the port. Blocks until the port is open.
///
/// Errors: those of `objection_to`; `errc::not_connected` if there is no
///         network, or the port cannot be had.
caf::expected<std::uint16_t> publish_actor(caf::actor_system& system,
                                           const caf::actor& published,
                                           const gate_options& options);

/// Closes the port at which the actor was published with these options. Those
/// who are connected stay so. Blocks until the port is closed.
void unpublish_actor(caf::actor_system& system, const caf::actor& published,
                     const gate_options& options, std::uint16_t port);

} // namespace libpool
