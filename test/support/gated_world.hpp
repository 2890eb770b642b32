#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace test {

/// A direct pool of two workers, which the test plays by hand, behind a gate.
struct gated_world : hand_cranked {
  gated_world() {
    for (auto& worker : workers)
      put(worker.handle());
    gate = libpool::actor_pool::submit_only(pool);
  }

  ~gated_world() {
    gate = nullptr;
    if (pool)
      stop(pool);
  }

  gated_world(const gated_world&) = delete;
  gated_world& operator=(const gated_world&) = delete;

  reply put(const caf::actor& worker) {
    return client.ask(pool, caf::sys_atom{}, caf::put_atom{}, worker);
  }

  /// Ends the actor as its owner would, who has a handle.
  void stop(const caf::actor& actor) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    run();
  }

  libpool::submissions counts() const {
    return libpool::actor_pool::submissions_of(gate);
  }

  /// The messages that have come to workers.
  std::size_t handled() const {
    return workers[0].received() + workers[1].received();
  }

  bool has_workers() const {
    return libpool::actor_pool::stats(pool).workers == 2;
  }

  static bool is_alive(const caf::actor& actor) {
    return !libpool::is_dead(*caf::actor_cast<caf::abstract_actor*>(actor));
  }

  /// Whether everything that a client has got is from the gate.
  bool all_from_gate(const probe& by) const {
    auto from = caf::actor_cast<caf::strong_actor_ptr>(gate);
    for (auto& each : by->inbox)
      if (each->sender != from)
        return false;
    return by.received() > 0;
  }

  probe client{*this};
  std::vector<probe> workers = probes(*this, 2);
  caf::actor pool =
    libpool::actor_pool::make(system(), libpool::actor_pool::round_robin());
  caf::actor gate;
};

} // namespace test
