#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace libpool {

/// Record of the nodes of a front, which fronts keep in a store. A node is
/// known by the run of its program.
struct front_record {
  /// Whether another front has closed the record. Then the front of the record
  /// gets no further nodes.
  bool is_closed = false;
  /// Nodes that may have begun submissions that the front has taken and not
  /// settled.
  std::vector<std::uint64_t> nodes;
};

/// What the record of an earlier front says of a submission that the front had.
enum class front_verdict : std::uint8_t {
  /// No node of the front has begun the submission, and none will.
  never_began,
  may_have_begun,
  /// The record has changed since it was read.
  changed,
};

/// Whether all nodes of the record serve another front, as some of `serving`. A
/// node that serves another front has ended its session with the front of the
/// record, and reports the submissions that it has begun.
///
/// Cost: O(nodes log nodes).
inline bool have_all_changed(const front_record& record,
                             std::vector<std::uint64_t> serving) {
  std::sort(serving.begin(), serving.end());
  return std::all_of(record.nodes.begin(), record.nodes.end(), [&](auto node) {
    return std::binary_search(serving.begin(), serving.end(), node);
  });
}

/// The nodes of a front, as a record of them must list them.
///
/// A front stores the record before a new node gets tasks, and before it claims
/// a submission. So a later front that reads the record knows each node that
/// may have begun a submission of this front. If all of these nodes serve the
/// later front after it has read the record, it *closes* the record: it stores
/// the closed record on condition that the store has the record that it has
/// read. From then on, this front cannot store its record, and gives no node
/// tasks.
///
/// Cost:    O(log nodes), unless stated otherwise.
/// Threads: one at a time.
class nodes_of_front {
public:
  /// Notes that a node joins. The record must be stored before the node gets
  /// tasks.
  void joined(std::uint64_t node) {
    left_[node] = never_left;
    ++version_;
  }

  /// Notes that a node gets no more tasks. `newest` is the number of the last
  /// submission that the front has taken.
  void left(std::uint64_t node, std::uint64_t newest) {
    if (auto found = left_.find(node); found != left_.end())
      found->second = newest;
  }

  /// Returns the nodes that the record must list. `oldest` is the number of the
  /// oldest submission that the front has taken and not settled.
  ///
  /// Cost: O(nodes).
  std::vector<std::uint64_t> nodes(std::uint64_t oldest) {
    std::vector<std::uint64_t> result;
    for (auto i = left_.begin(); i != left_.end();)
      if (i->second < oldest) {
        i = left_.erase(i);
      } else {
        result.push_back(i->first);
        ++i;
      }
    return result;
  }

  /// Number of the present state, for `stored`.
  std::uint64_t version() const noexcept {
    return version_;
  }

  /// Notes that the store has the record of the state `version`.
  void stored(std::uint64_t version) noexcept {
    stored_ = version;
  }

  /// Whether the store has the record of all nodes.
  bool is_stored() const noexcept {
    return stored_ == version_;
  }

private:
  static constexpr auto never_left = std::numeric_limits<std::uint64_t>::max();

  /// For each node, the last submission that it can have got.
  std::map<std::uint64_t, std::uint64_t> left_;
  std::uint64_t version_ = 1;
  std::uint64_t stored_ = 0; // of no state
};

} // namespace libpool
