#pragma once

#include <cstdint>
#include <string>

namespace libpool {

/// Where a gate listens, and to whom.
struct gate_options {
  /// The address of this machine that others connect to. Empty: all of them.
  std::string address = "127.0.0.1";
  /// 0: one that is free, see `gate::port`.
  std::uint16_t port = 0;
  /// Whether the gate does without TLS: every program of this machine may
  /// connect then, and crash this one. Only with a loopback address, in digits.
  bool insecure_loopback = false;
  /// Whether the port may be in use still by connections of a former gate that
  /// had this set as well.
  bool reuse_address = false;
};

} // namespace libpool
