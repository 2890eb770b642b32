#pragma once

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

namespace hash_tree {

/// The options of a pool that is to survive a killer: dead workers are replaced
/// soon and without end, and a file that a worker took with it is hashed again.
libpool::managed_options chaos_options();

/// Kills a random worker of a pool every 100 ms, in the same order each time.
///
/// Load: a worker that is to die already is left alone. A worker that hashes a
/// file when it is killed ends the file first: actors look at the next
/// message, exit messages included, when they are through with the last.
class killer : public caf::event_based_actor {
public:
  /// Counts in `kills`, which has to outlive the actor.
  killer(caf::actor_config& cfg, caf::actor pool,
         std::atomic<std::uint64_t>& kills);

  caf::behavior make_behavior() override;

  void on_exit() override;

private:
  using workers = std::vector<caf::actor>;

  void look();
  void kill_one_of(workers candidates);

  caf::actor pool_;
  std::atomic<std::uint64_t>& kills_;
  std::mt19937 draw_;
  workers doomed_; // workers that the pool still had when it was last asked
};

} // namespace hash_tree
