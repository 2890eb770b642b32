#pragma once

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// The files, in PEM format, by which a node proves who it is, and knows who
/// others are. `tools/certificates` makes some.
struct tls_files {
  /// Of this node, followed by those of whoever has signed it, but for the CA.
  std::string certificate;
  /// That belongs to the certificate.
  std::string key;
  /// Certificates of those whose signature on a certificate is trusted.
  std::string ca;
  /// Of the key, if it has one.
  std::string passphrase;
};

/// Lets actor systems of this configuration know others, by TCP with and
/// without TLS; to be called after `set_up`, and once.
///
///     libpool::set_up(config);
///     libpool::load_network(config);
///     libpool::use_tls(config, {"me.pem", "me.key", "ca.pem"});
///
/// With CAF 0.17 it also has OpenSSL forget, before it reads from a socket or
/// writes to one, the errors of other connections of the thread, which CAF
/// would take for errors of this one. That is for all sockets of the process.
void load_network(caf::actor_system_config& config);

/// Has both sides of each connection that uses TLS show a certificate, signed
/// by a CA of these files. The names in certificates are not looked at: whoever
/// has one may be anybody who has one.
void use_tls(caf::actor_system_config& config, const tls_files& files);

/// The files that the actor system was told to use; empty if none.
tls_files tls_of(const caf::actor_system& system);

} // namespace libpool
