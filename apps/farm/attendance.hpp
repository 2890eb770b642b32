#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace farm {

/// State of a node at one moment.
struct node_glance {
  /// Number of the node's session.
  std::uint64_t id = 0;
  std::string name;
  std::vector<std::string> labels;
  std::size_t slots = 0;
  std::size_t in_flight = 0;
};

/// Tracks which nodes join and leave.
class attendance {
public:
  /// Returns lines about the changes since the last call.
  std::vector<std::string> update(const std::vector<node_glance>& now);

private:
  std::map<std::uint64_t, std::string> names_;
  bool was_told_ = false;
};

/// Progress so far.
struct progress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// Returns the status line: the progress, and the number of files at each node,
/// as far as they fit into `width` columns.
std::string render(const progress& progress,
                   const std::vector<node_glance>& nodes, std::size_t width);

} // namespace farm
