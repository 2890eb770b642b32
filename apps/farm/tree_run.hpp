#pragma once

#include "account.hpp"
#include "attendance.hpp"
#include "options.hpp"

#include "libpool/actors/managed_options.hpp"

#include "console/outputs.hpp"
#include "console/signals.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace farm {

/// A run of the program in which a pool hashes a tree: prints the digests, and
/// reports on standard error. Ends early on a signal.
class tree_run {
public:
  explicit tree_run(const tree_options& options);

  tree_run(const tree_run&) = delete;
  tree_run& operator=(const tree_run&) = delete;

  /// Options of the pool's tasks: retries of lost files, which are counted.
  libpool::managed_options tasks() const;

  /// Returns the nodes of the pool.
  using roll_call = std::function<std::vector<node_glance>()>;

  /// Hashes the files, whose tasks have ids if `with_ids`. Reports which nodes
  /// join and leave, unless `nodes` is empty.
  void hash(caf::actor_system& system, const caf::actor& pool,
            const roll_call& nodes, bool with_ids = false);

  /// Waits for a signal or for the end of the pool. If `drains`, a signal
  /// drains the pool. Reports which nodes join and leave, while `is_serving`.
  void serve(caf::actor_system& system, const caf::actor& pool,
             const roll_call& nodes, const std::atomic<bool>& is_serving,
             bool drains);

  void tell(const std::string& line);

  /// Prints the report. Returns the exit code.
  int finish();

private:
  void tell_nodes(const roll_call& nodes);
  void settled(const result& each);

  const tree_options options_;
  std::atomic<bool> stop_{false};
  const console::signals ends_;
  console::outputs console_;
  /// Told by the pool, in one thread at a time.
  const std::shared_ptr<losses> lost_ = std::make_shared<losses>();
  attendance attendance_;
  account account_;
  bool is_drained_ = false;
  bool has_lost_pool_ = false;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

} // namespace farm
