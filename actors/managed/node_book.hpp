#pragma once

#include "libpool/actors/node_options.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

class node_door;

/// The nodes that serve a pool by their labels, and the restrictions of tasks
/// that go by these.
///
/// Cost:    O(labels log restrictions) for a task; O(nodes) for one that is the
///          first to want its labels, and O(restrictions + workers named) for a
///          node that comes or goes.
/// Threads: one at a time.
class node_book {
public:
  /// The workers that an open restriction is to name from now on.
  struct change {
    restriction* where;
    std::vector<worker_number> only;
  };

  // -- nodes ------------------------------------------------------------------

  /// The worker is about to join. Returns what restrictions are to name.
  std::vector<change> joins(worker_number number, const node_door& node);

  /// The worker has left.
  std::vector<change> left(worker_number number);

  /// The node of that name, of several the latest; none if there is no name.
  struct home {
    worker_number number{};
    const node_door* node = nullptr;
  };

  std::optional<home> find(const std::string& name) const;

  // -- tasks ------------------------------------------------------------------

  /// The restriction to nodes that have each of the labels, in any order, for
  /// one more task; nullptr if there are none.
  restriction* take(std::vector<std::string> labels);

  /// A task that has the restriction is over.
  /// @pre the restriction is one of these
  void give_back(restriction& where);

private:
  using label_set = std::vector<std::string>; // ascending, each once

  struct member {
    const node_door* node = nullptr;
    label_set labels;
  };

  struct entry : restriction {
    std::size_t tasks = 0;
    const label_set* labels = nullptr;
  };

  std::map<worker_number, member> members_;
  std::set<std::pair<std::string, worker_number>> by_name_;
  std::map<label_set, entry> entries_;
};

} // namespace libpool
