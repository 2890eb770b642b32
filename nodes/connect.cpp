#include "libpool/nodes/connect.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/nodes/nats/nats_line.hpp"
#include "libpool/nodes/nats/run_of_program.hpp"
#include "libpool/nodes/nats/work_sender.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
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

caf::actor connect_to_front(caf::actor_system& system,
                            const pool_address& where, const std::string& name,
                            const connect_options& options,
                            const policy& over) {
  auto base = actor_pool::distributed(nodes_of(options), over);
  auto setup = *base.managed();
  setup.patience = options.patience;
  auto result = actor_pool::make(system, policy{std::move(setup)});
  auto subjects = subjects_of_client(where.by, where.pool, name, draw_run());
  auto open = [&](std::shared_ptr<transport_user> user) {
    return open_nats_line(where.by, subjects, std::move(user));
  };
  detail::serve_nodes(result, open);
  return result;
}

caf::actor connect_to_queue(caf::actor_system& system,
                            const pool_address& where, const std::string& name,
                            const connect_options& options,
                            const policy& over) {
  auto result = actor_pool::make(system, over);
  detail::submission_terms terms;
  terms.most_open = options.most_in_flight;
  terms.patience = options.patience;
  terms.id_of = options.id_of;
  terms.run = std::to_string(draw_run());
  auto open = [&](std::shared_ptr<submission_user> user) {
    return open_submission_queue(where, name, std::move(user));
  };
  detail::submit_to_queue(result, terms, open);
  return result;
}

void demand_of_client(bool holds, const std::string& what) {
  if (!holds)
    throw std::invalid_argument("libpool: connect_options: " + what);
}

} // namespace

void check(const connect_options& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  demand_of_client(options.lease >= milliseconds{1}
                     && options.lease <= hours{24},
                   "lease must be between 1 ms and 24 h, got "
                     + std::to_string(options.lease.count()) + " ns");
  demand_of_client(options.patience >= duration{0},
                   "patience must not be negative, got "
                     + std::to_string(options.patience.count()) + " ns");
  demand_of_client(options.most_in_flight >= 1,
                   "most_in_flight must be at least 1, got 0");
  demand_of_client(options.credit >= 1024, "credit must be at least 1024, got "
                                             + std::to_string(options.credit));
  check(options.queue);
}

caf::actor connect(caf::actor_system& system, const pool_address& where,
                   const connect_options& options) {
  check(where);
  check(options);
  auto queue = options.queue;
  queue.when_empty = when_empty::wait;
  queue.busy_until = busy_until::handler;
  auto name = options.name.empty() ? name_of_host() : options.name;
  auto over = actor_pool::shared_queue(queue);
  return options.durable ? connect_to_queue(system, where, name, options, over)
                         : connect_to_front(system, where, name, options, over);
}

} // namespace libpool
