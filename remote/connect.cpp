#include "libpool/remote/connect.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/remote/middlemen.hpp"
#include "libpool/remote/port/asking.hpp"
#include "libpool/remote/publishing.hpp"
#include "libpool/remote/turn.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/node_id.hpp>
#include <caf/sec.hpp>
#include <caf/type_id.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace libpool {

namespace {

using clock = std::chrono::steady_clock;

std::chrono::milliseconds ceil(clock::duration time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time);
}

/// Whether it is the handle of a gate that has closed, of which CAF is about to
/// learn.
bool is_stale(caf::actor_control_block& found) {
  return found.get()->getf(caf::abstract_actor::is_terminated_flag);
}

caf::error not_connected(const gate_address& where, const std::string& why) {
  return make_error(errc::not_connected, where.host + ", port "
                                           + std::to_string(where.port) + ": "
                                           + why);
}

std::string in_ms(std::chrono::milliseconds time) {
  return std::to_string(time.count()) + " ms";
}

std::string in_words(const caf::error& why, const connect_options& how,
                     const caf::actor_system& system) {
  if (why == caf::sec::request_timeout)
    return "no gate answered within " + in_ms(how.timeout);
  return render(why, system);
}

} // namespace

caf::expected<caf::actor> connect(caf::actor_system& system,
                                  const gate_address& where,
                                  const connect_options& how) {
  gate_options there;
  there.address = where.host;
  there.insecure_loopback = how.insecure_loopback;
  if (auto why = objection_to(there, tls_of(system)))
    return why;
  auto middleman = middleman_of(system, !how.insecure_loopback);
  if (!middleman)
    return std::move(middleman.error());
  const auto deadline = clock::now() + how.timeout;
  const turn ours{where.host, deadline};
  if (!ours.has_come())
    return not_connected(
      where, "another connection attempt to this host did not end within "
               + in_ms(how.timeout));
  caf::strong_actor_ptr found;
  auto keep = [&](caf::node_id&, caf::strong_actor_ptr& actor,
                  std::set<std::string>&) { found = std::move(actor); };
  do {
    auto left = std::max(deadline - clock::now(), clock::duration{0});
    if (auto why = ask(system, *middleman, ceil(left), keep,
                       caf::connect_atom{}, where.host, where.port))
      return not_connected(where, in_words(why, how, system));
    if (found == nullptr)
      return not_connected(where, "no gate is open at this port");
  } while (is_stale(*found));
  return caf::actor_cast<caf::actor>(found);
}

} // namespace libpool
