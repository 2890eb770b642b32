#pragma once

#include "libpool/export.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace libpool {

/// Options for the connection to the NATS servers, which connect pools, nodes
/// and clients.
///
/// The servers decide what a program may do. Each program authenticates with
/// its certificate, and the servers allow it certain subjects, see
/// docs/operations/security.md.
///
/// The files are read when a program connects first, and again when a
/// connection was lost and the files have changed.
struct nats_options {
  /// Addresses of servers of one cluster, such as "tls://mq1.example:4222"; at
  /// least one. Further servers of the cluster are found through these.
  std::vector<std::string> servers = {};
  /// PEM file of the certificate authorities that sign the certificates of
  /// servers.
  std::string ca = {};
  /// PEM file of the program's own certificate chain.
  std::string certificate = {};
  /// PEM file of the key of `certificate`.
  std::string key = {};
  /// Name that the certificates of servers must have; empty: the host in the
  /// address.
  std::string server_name = {};
  /// Whether to connect without TLS, which is possible only to servers at
  /// loopback addresses.
  bool insecure_loopback = false;
  /// First token of all subjects.
  std::string prefix = "libpool";
};

/// Throws std::invalid_argument naming the option that is missing or wrong, or
/// the file that cannot be read.
LIBPOOL_EXPORT void check(const nats_options& options);

} // namespace libpool
