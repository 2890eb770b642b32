#include "libpool/remote/network.hpp"

#include "libpool/remote/port/tls_errors.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

namespace libpool {

void load_network(caf::actor_system_config& config) {
  isolate_tls_errors();
  config.load<caf::io::middleman>().load<caf::openssl::manager>();
}

void use_tls(caf::actor_system_config& config, const tls_files& files) {
  config.openssl_certificate = files.certificate;
  config.openssl_key = files.key;
  config.openssl_cafile = files.ca;
  config.openssl_passphrase = files.passphrase;
}

tls_files tls_of(const caf::actor_system& system) {
  auto& config = system.config();
  return {config.openssl_certificate, config.openssl_key, config.openssl_cafile,
          config.openssl_passphrase};
}

} // namespace libpool
