#include "libpool/remote/publishing.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/remote/middlemen.hpp"
#include "libpool/remote/port/asking.hpp"
#include "libpool/remote/tls_check.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/type_id.hpp>

#include <arpa/inet.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace libpool {

namespace {

using namespace std::chrono_literals;

/// CAF opens ports in no time, unless it is connecting to a machine that does
/// not answer.
constexpr auto patience = 10s;

bool is_loopback(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1)
    return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1
         && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string described(const gate_options& options) {
  return (options.address.empty() ? "all addresses" : options.address)
         + ", port " + std::to_string(options.port);
}

} // namespace

caf::error objection_to(const gate_options& options, const tls_files& tls) {
  if (!options.insecure_loopback)
    return objection_to(tls);
  if (is_loopback(options.address))
    return {};
  return make_error(errc::insecure, "insecure_loopback requires a loopback "
                                    "address such as 127.0.0.1 or ::1, got '"
                                      + options.address + "'");
}

caf::expected<std::uint16_t> publish_actor(caf::actor_system& system,
                                           const caf::actor& published,
                                           const gate_options& options) {
  if (auto why = objection_to(options, tls_of(system)))
    return why;
  auto middleman = middleman_of(system, !options.insecure_loopback);
  if (!middleman)
    return std::move(middleman.error());
  std::uint16_t port = 0;
  auto why = ask(
    system, *middleman, patience, [&](std::uint16_t used) { port = used; },
    caf::publish_atom{}, options.port,
    caf::actor_cast<caf::strong_actor_ptr>(published), std::set<std::string>{},
    options.address, options.reuse_address);
  if (!why)
    return port;
  // It may still open the port, and closes it then.
  tell(*middleman, caf::unpublish_atom{}, published.address(),
       std::uint16_t{0});
  return make_error(errc::not_connected, "cannot listen at "
                                           + described(options) + ": "
                                           + render(why, system));
}

void unpublish_actor(caf::actor_system& system, const caf::actor& published,
                     const gate_options& options, std::uint16_t port) {
  auto middleman = middleman_of(system, !options.insecure_loopback);
  if (middleman)
    static_cast<void>(ask(
      system, *middleman, patience, [] {}, caf::unpublish_atom{},
      published.address(), port));
}

} // namespace libpool
