#include "libpool/nodes/join_pool.hpp"

#include "libpool/nodes/nats/nats_line.hpp"
#include "libpool/nodes/nats/run_of_program.hpp"

#include <utility>

namespace libpool {

caf::actor join_pool(caf::actor_system& system, const pool_address& where,
                     const join_options& options,
                     const std::function<caf::actor()>& factory) {
  check(where);
  auto manner = options;
  if (manner.name.empty())
    manner.name = name_of_host();
  detail::front_access access;
  access.run = incarnation{draw_run()};
  access.open = [by = where.by, at = subjects_of_node(
                                  where.by, where.pool, manner.name,
                                  static_cast<std::uint64_t>(*access.run))](
                  std::shared_ptr<transport_user> user) {
    return open_nats_line(by, at, std::move(user));
  };
  return detail::join_pool(system, std::move(access), manner, factory);
}

} // namespace libpool
