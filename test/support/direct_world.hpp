#pragma once

#include "libpool/pool.hpp"
#include "support/numbers.hpp"
#include "support/probe.hpp"

namespace test {

/// Worker i gets the i-th number; none where that is 0.
inline void one_per_worker(libpool::worker_tasks& tasks,
                           caf::message& message) {
  auto& xs = message.get_as<numbers>(0);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (xs.at(i) != 0)
      tasks[i].second = caf::make_message(xs[i]);
}

/// Direct pools, most of three workers that the test plays by hand.
struct direct_world : hand_cranked {
  using hand_cranked::hand_cranked;

  probe client{*this};
  std::vector<probe> ws = probes(*this, 3);

  caf::actor pool_of(const std::vector<probe>& workers, libpool::policy how,
                     const libpool::pool_options& options = {}) {
    return libpool::actor_pool::make(
      system(), workers.size(), one_by_one(workers), std::move(how), options);
  }

  caf::actor pool_with(libpool::policy how,
                       const libpool::pool_options& options = {}) {
    return pool_of(ws, std::move(how), options);
  }

  caf::actor
  empty_pool(libpool::policy how = libpool::actor_pool::round_robin()) {
    return libpool::actor_pool::make(system(), std::move(how));
  }

  /// A pool that splits numbers among the workers and joins theirs.
  caf::actor joining(libpool::gather_options options = {}) {
    return pool_with(libpool::actor_pool::split_join<numbers>(
      append, one_per_worker, numbers{}, options));
  }

  /// Ends the pool at once.
  void end(const caf::actor& pool) const {
    client.send(pool, caf::exit_msg{pool.address(), caf::exit_reason::kill});
  }

  std::string name(std::size_t worker) {
    return name_of(ws[worker].handle());
  }

  std::string text(const reply& reply) {
    return libpool::render(reply.error(), system());
  }

  /// Has the client and the workers forget all their messages.
  void forget() {
    for (auto& w : ws)
      w->inbox.clear();
    client->inbox.clear();
  }

  /// The actor that has sent worker `i` its first task, and joins results.
  caf::actor collector(std::size_t i) const {
    return caf::actor_cast<caf::actor>(ws[i]->inbox.at(0)->sender);
  }

  /// Whether the collector goes with the pool, which this ends.
  bool goes_with(caf::actor& pool, const caf::actor_addr& collector) {
    forget();
    stop(std::exchange(pool, nullptr));
    return is_gone(collector);
  }
};

} // namespace test
