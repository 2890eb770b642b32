#pragma once

#include "libpool/pool.hpp"
#include "support/numbers.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Worker i gets the i-th number; none where that is 0.
inline void one_per_worker(libpool::worker_tasks& tasks,
                           caf::message& message) {
  auto& xs = message.get_as<numbers>(0);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (xs.at(i) != 0)
      tasks[i].second = caf::make_message(xs[i]);
}

/// A pool of three probes that splits numbers among them and joins theirs.
struct split_join_world : hand_cranked {
  using hand_cranked::hand_cranked;

  probe client{*this};
  std::vector<probe> ws = probes(*this, 3);

  caf::actor pool_with(libpool::actor_pool::policy how) {
    return libpool::actor_pool::make(system(), ws.size(), one_by_one(ws),
                                     std::move(how));
  }

  caf::actor joining(libpool::gather_options options = {}) {
    return pool_with(libpool::actor_pool::split_join<numbers>(
      append, one_per_worker, numbers{}, options));
  }

  std::string name(std::size_t worker) {
    return name_of(ws[worker].handle());
  }

  std::string text(const reply& reply) {
    return libpool::render(reply.error(), system());
  }

  /// Whether the actor that sent worker `i` its task goes with the pool, which
  /// this ends.
  bool collector_is_gone(caf::actor& pool, std::size_t i) {
    auto address = ws[i]->inbox.at(0)->sender->address();
    for (auto& w : ws)
      w->inbox.clear();
    client->inbox.clear();
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    pool = nullptr;
    run();
    return caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
  }
};

} // namespace test
