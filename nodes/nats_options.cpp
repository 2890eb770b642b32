#include "libpool/nodes/nats_options.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace libpool {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds)
    throw std::invalid_argument("libpool: nats_options: " + what);
}

void require_file(const char* option, const std::string& path) {
  require(!path.empty(), std::string{option} + " must be set, unless "
                           + "insecure_loopback is");
  require(std::ifstream{path}.good(),
          std::string{option} + " '" + path + "' cannot be read");
}

/// Returns the host of an address such as "tls://user@host:4222".
std::string_view host_in(std::string_view address) {
  if (auto scheme = address.find("://"); scheme != std::string_view::npos)
    address.remove_prefix(scheme + 3);
  if (auto user = address.rfind('@'); user != std::string_view::npos)
    address.remove_prefix(user + 1);
  if (!address.empty() && address.front() == '[')
    return address.substr(1, address.find(']') - 1);
  return address.substr(0, address.find(':'));
}

bool is_loopback(std::string_view host) {
  auto is_numeric = host.find_first_not_of("0123456789.")
                    == std::string_view::npos;
  return host == "localhost" || host == "::1"
         || (is_numeric && host.substr(0, 4) == "127.");
}

} // namespace

void check(const nats_options& options) {
  require(!options.servers.empty(), "servers must not be empty");
  require(!options.prefix.empty()
            && options.prefix.find_first_of(" .*>\t") == std::string::npos,
          "prefix must be one token of a subject, got '" + options.prefix
            + "'");
  if (!options.insecure_loopback) {
    require_file("ca", options.ca);
    require_file("certificate", options.certificate);
    require_file("key", options.key);
    return;
  }
  for (const auto& each : options.servers)
    require(is_loopback(host_in(each)),
            "insecure_loopback requires loopback addresses, got '" + each
              + "'");
}

} // namespace libpool
