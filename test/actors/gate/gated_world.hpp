#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/pool.hpp"
#include "support/probe.hpp"

namespace test {

/// A direct pool of two workers, which the test plays by hand, behind a gate.
struct gated_world : hand_cranked {
  gated_world() {
    for (auto& worker : workers)
      client.put(pool, worker.handle());
    gate = libpool::actor_pool::submit_only(pool);
  }

  ~gated_world() {
    gate = nullptr;
    if (pool)
      stop(pool);
  }

  gated_world(const gated_world&) = delete;
  gated_world& operator=(const gated_world&) = delete;

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

  bool is_from_gate(const caf::mailbox_element& element) const {
    return element.sender == caf::actor_cast<caf::strong_actor_ptr>(gate);
  }

  /// Whether everything that a client has got is from the gate.
  bool all_from_gate(const probe& by) const {
    for (auto& each : by->inbox)
      if (!is_from_gate(*each))
        return false;
    return by.received() > 0;
  }

  /// The actor that stands for the sender of the first message of worker 0.
  caf::actor sender_of_first() const {
    return caf::actor_cast<caf::actor>(workers[0]->inbox[0]->sender);
  }

  probe client{*this};
  std::vector<probe> workers = probes(*this, 2);
  caf::actor pool =
    libpool::actor_pool::make(system(), libpool::actor_pool::round_robin());
  caf::actor gate;
};

} // namespace test
