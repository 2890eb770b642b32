#include "libpool/remote/join_pool.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/remote/publishing.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/spawn_options.hpp>

#include <stdexcept>

namespace libpool {

namespace {

/// Returns why this system must not connect to the address with these options,
/// independent of the other side.
caf::error objection_to(const caf::actor_system& system,
                        const gate_address& where, const connect_options& how) {
  gate_options there;
  there.address = where.host;
  there.insecure_loopback = how.insecure_loopback;
  return objection_to(there, tls_of(system));
}

/// Connects in a thread of its own, since that blocks.
detail::front_connector connector_to(caf::actor_system& system,
                                     const gate_address& where,
                                     const connect_options& how) {
  return [&system, where,
          how](const std::function<void(detail::found_front)>& found) {
    system.spawn<caf::detached>([&system, where, how, found] {
      if (auto front = connect(system, where, how))
        found(caf::actor_cast<caf::strong_actor_ptr>(*front));
      else
        found(front.error());
    });
  };
}

} // namespace

caf::actor join_pool(caf::actor_system& system, const gate_address& where,
                     const join_options& options,
                     const std::function<caf::actor()>& factory,
                     const connect_options& how) {
  if (auto why = objection_to(system, where, how))
    throw std::invalid_argument("libpool: join_pool: " + render(why, system));
  return detail::join_pool(system, {connector_to(system, where, how)}, options,
                           factory);
}

} // namespace libpool
