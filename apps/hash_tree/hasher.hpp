#pragma once

#include "messages.hpp"
#include "results.hpp"

namespace hash_tree {

/// A worker: answers a `batch` with its `outcomes`.
///
/// Each one wants a thread of its own (`caf::detached`): it waits for disks,
/// and one huge file keeps it busy for minutes. In CAF's scheduler it would
/// take a thread away from every other actor for that long.
class hasher : public caf::event_based_actor {
public:
  /// The listener hears of the end of every batch, and is not kept alive by us;
  /// there may be none.
  hasher(caf::actor_config& cfg, caf::actor_addr listener, run_state& state,
         worker_tally& tally);

  caf::behavior make_behavior() override;

private:
  outcomes hash(const batch& batch);
  outcome hash(const file_task& task);
  void report_end(const batch& batch);

  caf::actor_addr listener_;
  run_state& state_;
  worker_tally& tally_;
  file_hasher hasher_;
};

} // namespace hash_tree
