#pragma once

#include "libpool/pool.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace test {

/// Nodes whose handlers keep promises, in a pool that knows the ids of
/// messages.
struct watched_nodes : nodes_world {
  watched_nodes() {
    options.id_of = libpool::flow_by<int>([](int x) { return x; });
  }

  /// A worker that keeps promises, a negative number by an error, and what it
  /// can see of its messages.
  scripted::script watching() {
    return [this](scripted& self) -> caf::behavior {
      return {
        [this, &self](int) {
          tasks.push_back(libpool::this_task(&self));
          holders.push_back(&self);
          promises.push_back(self.make_response_promise());
          return promises.back();
        },
        [this](caf::ok_atom, std::size_t i, int x) {
          auto promise = std::move(promises.at(i));
          if (x < 0)
            promise.deliver(caf::make_error(caf::sec::runtime_error));
          else
            promise.deliver(x);
        },
      };
    };
  }

  /// Has the worker that has promised number `i` answer with `x`. Results may
  /// wait for a millisecond for others.
  void deliver(std::size_t i, int x) {
    nodes_world::deliver(i, x);
    advance(std::chrono::milliseconds{1});
  }

  libpool::cancel_counts cancel(const libpool::selection& which) {
    auto result = libpool::actor_pool::cancel(pool, which);
    run();
    return result;
  }

  std::size_t in_flight() const {
    return libpool::nodes_of(pool).nodes.at(0).in_flight;
  }

  libpool::ledger books() const {
    return libpool::actor_pool::stats(pool).tasks;
  }

  std::vector<libpool::running_task> tasks;
};

} // namespace test
