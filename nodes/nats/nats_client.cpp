#include "libpool/nodes/nats/nats_client.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace libpool {

namespace {

constexpr int for_ever = -1;
constexpr int before_reconnect = 100; // milliseconds
constexpr int between_pings = 1'000;  // milliseconds
constexpr int most_pings_out = 2;

void require(natsStatus status, const std::string& doing) {
  if (status != NATS_OK)
    throw std::runtime_error("libpool: " + doing + ": " + text_of(status));
}

void set_tls(natsOptions* target, const nats_options& options) {
  require(natsOptions_SetSecure(target, true), "cannot use TLS");
  require(natsOptions_LoadCATrustedCertificates(target, options.ca.c_str()),
          "cannot use the authorities in '" + options.ca + "'");
  require(natsOptions_LoadCertificatesChain(target, options.certificate.c_str(),
                                            options.key.c_str()),
          "cannot use the certificate '" + options.certificate
            + "' with the key '" + options.key + "'");
  if (!options.server_name.empty())
    require(
      natsOptions_SetExpectedHostname(target, options.server_name.c_str()),
      "cannot use the server name '" + options.server_name + "'");
}

/// Returns the contents of the files that the options name.
std::string files_of(const nats_options& options) {
  std::string result;
  if (options.insecure_loopback)
    return result;
  for (const auto& each : {options.ca, options.certificate, options.key}) {
    std::ifstream in{each, std::ios::binary};
    result.append(std::istreambuf_iterator<char>{in}, {});
  }
  return result;
}

} // namespace

/// The NATS library begins this text with a place in its code, such as
/// "(conn.c:733): ", which is removed.
std::string text_of(natsStatus status) {
  const auto* last = nats_GetLastError(nullptr);
  std::string_view details{last != nullptr ? last : ""};
  constexpr std::string_view after_place = "): ";
  if (auto place = details.find(after_place);
      place != std::string_view::npos && details.front() == '(')
    details.remove_prefix(place + after_place.size());
  return details.empty() ? natsStatus_GetText(status) : std::string{details};
}

options_owner options_for(const nats_options& options) {
  natsOptions* made = nullptr;
  require(natsOptions_Create(&made), "cannot use NATS");
  options_owner result{made};
  auto set = [](natsStatus status) {
    require(status, "cannot use the options of NATS");
  };
  std::vector<const char*> servers;
  servers.reserve(options.servers.size());
  for (const auto& each : options.servers)
    servers.push_back(each.c_str());
  set(natsOptions_SetServers(made, servers.data(),
                             static_cast<int>(servers.size())));
  set(natsOptions_SetMaxReconnect(made, for_ever));
  set(natsOptions_SetReconnectWait(made, before_reconnect));
  set(natsOptions_SetReconnectJitter(made, before_reconnect, before_reconnect));
  set(natsOptions_SetPingInterval(made, between_pings));
  set(natsOptions_SetMaxPingsOut(made, most_pings_out));
  set(natsOptions_SetNoEcho(made, true));
  set(natsOptions_SetSendAsap(made, true)); // not after up to a millisecond
  if (!options.insecure_loopback)
    set_tls(made, options);
  return result;
}

renewed_options::renewed_options(const nats_options& options)
  : by_(options), contents_(files_of(options)), options_(options_for(options)) {
  // nop
}

bool renewed_options::are_outdated() const {
  return files_of(by_) != contents_;
}

void renewed_options::read_new_files() {
  auto now = files_of(by_);
  if (now == contents_)
    return;
  contents_ = std::move(now);
  try {
    options_ = options_for(by_);
  } catch (const std::runtime_error&) {
    return;
  }
}

} // namespace libpool
