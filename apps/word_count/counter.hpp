#pragma once

#include "messages.hpp"
#include "tally.hpp"

#include <caf/all.hpp>

namespace word_count {

/// A worker: answers a chunk with the counts of its words. A file that cannot
/// be read is told to the tally, and has none.
///
/// It waits for disks, and so wants a thread of its own (`caf::detached`).
class counter : public caf::event_based_actor {
public:
  /// @pre `seen` outlives the actor system
  counter(caf::actor_config& cfg, tally& seen);

  caf::behavior make_behavior() override;

private:
  word_counts count(const chunk& chunk);

  tally& seen_;
};

} // namespace word_count
