#include "libpool/remote/connect.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/remote/nats_line.hpp"
#include "libpool/remote/run_of_program.hpp"

#include <stdexcept>
#include <utility>

namespace libpool {

namespace {

node_options nodes_of(const connect_options& options) {
  node_options result;
  result.lease = options.lease;
  result.credit = options.credit;
  result.most_in_flight = options.most_in_flight;
  return result;
}

} // namespace

void check(const connect_options& options) {
  check(nodes_of(options));
  check(options.queue);
  if (options.patience < duration{0})
    throw std::invalid_argument(
      "libpool: connect_options: patience must not be negative");
}

caf::actor connect(caf::actor_system& system, const pool_address& where,
                   const connect_options& options) {
  check(where);
  check(options);
  auto queue = options.queue;
  queue.when_empty = when_empty::wait;
  queue.busy_until = busy_until::handler;
  auto base = actor_pool::distributed(nodes_of(options),
                                      actor_pool::shared_queue(queue));
  auto how = *base.managed();
  how.patience = options.patience;
  auto result = actor_pool::make(system, policy{std::move(how)});
  auto name = options.name.empty() ? name_of_host() : options.name;
  auto at = subjects_of_client(where.by, where.pool, name, draw_run());
  auto open = [&](std::shared_ptr<transport_user> user) {
    return open_nats_line(where.by, at, std::move(user));
  };
  detail::serve_nodes(result, open);
  return result;
}

} // namespace libpool
