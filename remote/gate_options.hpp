#pragma once

#include <cstdint>
#include <string>

namespace libpool {

/// Options of a gate: where it listens, and who can connect.
struct gate_options {
  /// Address of this machine at which the gate listens; empty: all addresses.
  std::string address = "127.0.0.1";
  /// Port number; 0: any free port, see `gate::port`.
  std::uint16_t port = 0;
  /// Whether the gate works without TLS; only with a numeric loopback address.
  /// Any program of this machine can then connect, and crash this one.
  bool insecure_loopback = false;
  /// Whether the gate may open while connections of an earlier gate still use
  /// the port. The earlier gate must have had this option as well.
  bool reuse_address = false;
};

} // namespace libpool
