#pragma once

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// The names of the files, in PEM format, with which a node proves its identity
/// and checks that of other nodes. `tools/certificates` makes such files.
struct tls_files {
  /// File with the certificate of this node, followed by the intermediate
  /// certificates up to the CA, without that of the CA.
  std::string certificate;
  /// File with the private key of the certificate.
  std::string key;
  /// File with the certificates of the trusted CAs.
  std::string ca;
  /// Passphrase of the key; empty if the key is not encrypted.
  std::string passphrase;
};

/// Lets actor systems of this configuration connect to others, by TCP with and
/// without TLS. Must be called once, after `set_up`.
///
///     libpool::set_up(config);
///     libpool::load_network(config);
///     libpool::use_tls(config, {"me.pem", "me.key", "ca.pem"});
///
/// With CAF 0.17, this function also has OpenSSL clear the error list of the
/// thread before each read from a socket and each write. Otherwise, CAF would
/// attribute errors of one connection to another one. This affects all sockets
/// that OpenSSL uses in the process.
void load_network(caf::actor_system_config& config);

/// Sets the files for TLS. Both sides of each connection with TLS must show a
/// certificate that is signed by a CA of these files. Names in certificates are
/// not checked: any such certificate is accepted for any peer.
void use_tls(caf::actor_system_config& config, const tls_files& files);

/// Returns the files that were set for the actor system; empty if none were.
tls_files tls_of(const caf::actor_system& system);

} // namespace libpool
