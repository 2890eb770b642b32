#pragma once

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace libpool {

/// Where a gate listens.
struct gate_address {
  std::string host;
  std::uint16_t port = 0;
};

/// How to connect to a gate.
struct connect_options {
  /// How long to wait for the gate.
  std::chrono::milliseconds timeout = std::chrono::seconds{5};
  /// Whether to do without TLS. Only to a loopback address, in digits.
  bool insecure_loopback = false;
};

/// Connects to a gate, and returns a handle of it. Blocks until then.
///
/// CAF does not answer requests that are open when the connection goes, or that
/// are sent to the handle afterwards: send requests with a timeout, and monitor
/// the handle.
///
/// Threads: any, each with its turn: a process connects to a host once at a
///         time. Give a host that has several gates the same name for all of
///         them: with CAF 1, two connections to one process that are made at
///         once can end with none that answers come back by.
/// Time:   the timeout at most. CAF goes on trying behind it, and tries one
///         address after the other: to an address where nothing answers, not
///         even with a refusal, for as long as the operating system does. The
///         actor system waits for that when it ends.
/// Errors: `errc::insecure` names what is missing for TLS;
///         `errc::not_connected` if no gate answers there, or it does not
///         accept the certificate, or is not to be trusted.
caf::expected<caf::actor> connect(caf::actor_system& system,
                                  const gate_address& where,
                                  const connect_options& how = {});

} // namespace libpool
