#pragma once

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace libpool {

/// The host and the port of a gate.
struct gate_address {
  /// Host name or address.
  std::string host;
  /// Port; at least 1.
  std::uint16_t port = 0;
};

/// Options of a connection to a gate.
struct connect_options {
  /// Maximum time to wait for the gate.
  std::chrono::milliseconds timeout = std::chrono::seconds{5};
  /// Whether to connect without TLS; only to a numeric loopback address.
  bool insecure_loopback = false;
};

/// Connects to a gate, and returns a handle of the gate, which stands for the
/// pool. Blocks until the connection exists or has failed.
///
/// After a connection is lost, CAF does not answer requests that are open, or
/// that are sent to the handle later: send requests with a timeout, and monitor
/// the handle.
///
/// Threads: any. A process makes one connection to a host at a time; other
///         calls wait. Use the same name of the host for all of its gates: with
///         CAF 1, two connections to one process that are made at the same time
///         may leave no way back for answers.
/// Time:   at most the timeout. After that, CAF continues the attempt in the
///         background. CAF makes one attempt at a time. If an address does not
///         respond at all, an attempt lasts until the operating system gives
///         up. The actor system waits for that when it ends.
/// Errors: `errc::insecure` names what is missing for TLS, or says that
///         `insecure_loopback` is not allowed for that address;
///         `errc::not_connected` if `load_network` was not called, if no gate
///         answers, if the gate rejects the certificate of this node, or if the
///         certificate of the gate is not trusted.
caf::expected<caf::actor> connect(caf::actor_system& system,
                                  const gate_address& where,
                                  const connect_options& how = {});

} // namespace libpool
