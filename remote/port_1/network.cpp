#include "libpool/remote/network.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

#include <string>

namespace libpool {

void load_network(caf::actor_system_config& config) {
  caf::io::middleman::init_global_meta_objects();
  config.load<caf::io::middleman>().load<caf::openssl::manager>();
}

void use_tls(caf::actor_system_config& config, const tls_files& files) {
  // Not with `set`, which accepts only options that a loaded module has
  // declared.
  auto put = [&](const char* key, const std::string& value) {
    caf::put(config.content, key, value);
  };
  put("caf.openssl.certificate", files.certificate);
  put("caf.openssl.key", files.key);
  put("caf.openssl.cafile", files.ca);
  put("caf.openssl.passphrase", files.passphrase);
}

tls_files tls_of(const caf::actor_system& system) {
  auto value = [&](const char* key) {
    return caf::get_or(system.config(), key, std::string{});
  };
  return {value("caf.openssl.certificate"), value("caf.openssl.key"),
          value("caf.openssl.cafile"), value("caf.openssl.passphrase")};
}

} // namespace libpool
