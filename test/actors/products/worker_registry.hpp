#pragma once

#include "scenario.hpp"
#include "worker_state.hpp"

#include <deque>

namespace products {

/// Has a worker answer what it has promised to.
using test::keep_atom;

/// Has a worker look again at what it has skipped.
using test::open_atom;

/// A companion has no handler yet.
caf::actor spawn_worker(caf::actor_system& system, worker_kind kind,
                        const worker_state_ptr& at);

/// How many workers of all systems have a behavior.
int live_workers();

/// Throws std::runtime_error if no more workers can be made.
void require_workers(const records& told);

/// Makes workers, and knows them as long as they live.
class worker_registry {
public:
  worker_registry(caf::actor_system& system, worker_kind kind,
                  std::shared_ptr<records> told);

  caf::actor add();

  /// Has all that skip or have promised to answer do so no more.
  void open();
  void keep_promises();

  const std::vector<caf::actor_addr>& all() const {
    return all_;
  }

  /// Has one that does not run in the scheduler go on; returns false if no such
  /// worker has anything to do.
  bool step(std::size_t draw);

  /// Whether they have threads of their own.
  bool has_threads() const {
    return kind_ == worker_kind::blocking || kind_ == worker_kind::detached;
  }

  /// Lets go of all workers.
  void dismiss();

private:
  struct queued {
    caf::strong_actor_ptr to;
    caf::mailbox_element_ptr element;
  };

  using event_loop = std::deque<queued>;

  void listen(caf::actor_companion& self);
  bool step_thread(std::size_t draw);
  bool step_companion(std::size_t draw);
  bool rests(std::size_t worker) const;

  template <class F>
  void for_each(F f);

  caf::actor_system& system_;
  const worker_kind kind_;
  std::shared_ptr<records> records_;
  caf::actor helper_;
  std::vector<caf::actor_addr> all_;
  /// The messages of companions.
  std::shared_ptr<event_loop> queued_ = std::make_shared<event_loop>();
};

} // namespace products
