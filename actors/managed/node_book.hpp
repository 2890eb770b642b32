#pragma once

#include "libpool/actors/node_options.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor_control_block.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

class node_worker;

/// The nodes of a pool by their labels, and the restrictions of tasks to nodes
/// with particular labels.
///
/// Cost:    O(labels log restrictions) for a task; O(nodes) for the first task
///          that wants its labels; O(restrictions + workers named) for a node
///          that joins or leaves.
/// Threads: one at a time.
class node_book {
public:
  /// The new workers of an open restriction.
  struct change {
    restriction* where;
    std::vector<worker_number> only;
  };

  /// Lets nodes join at the actor `entrance`. To be called before other threads
  /// know the pool.
  void open(caf::strong_actor_ptr entrance) noexcept {
    entrance_ = std::move(entrance);
  }

  /// The actor at which nodes join; nullptr if the pool is not for nodes. Can
  /// be called from any thread.
  const caf::strong_actor_ptr& entrance() const noexcept {
    return entrance_;
  }

  // -- nodes ------------------------------------------------------------------

  /// Adds a node that is about to join. Returns the changes of restrictions.
  std::vector<change> joins(worker_number number, const node_worker& node);

  /// Removes a node that has left. Returns the changes of restrictions.
  std::vector<change> left(worker_number number);

  /// A node, and its number as a worker.
  struct home {
    worker_number number{};
    const node_worker* node = nullptr;
  };

  /// Returns the node with that name, the latest if there are several; unset
  /// for an empty or unknown name.
  std::optional<home> find(const std::string& name) const;

  // -- tasks ------------------------------------------------------------------

  /// Returns the restriction to nodes that have all of the labels, for one more
  /// task. Returns nullptr if `labels` is empty.
  restriction* take(std::vector<std::string> labels);

  /// Notes that a task with the restriction is settled.
  /// @pre the restriction came from `take`
  void give_back(restriction& where);

private:
  using label_set = std::vector<std::string>; // sorted, without duplicates

  struct member {
    const node_worker* node = nullptr;
    label_set labels;
  };

  struct entry : restriction {
    std::size_t tasks = 0;
    const label_set* labels = nullptr;
  };

  std::map<worker_number, member> members_;
  std::set<std::pair<std::string, worker_number>> by_name_;
  std::map<label_set, entry> entries_;
  caf::strong_actor_ptr entrance_;
};

} // namespace libpool
