#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace farm {

/// A node, as seen at one moment.
struct node_glance {
  /// Of its session.
  std::uint64_t id = 0;
  std::string name;
  std::vector<std::string> labels;
  std::size_t slots = 0;
  std::size_t in_flight = 0;
};

/// Knows which nodes come and go.
class attendance {
public:
  /// Lines on what has changed since the last time.
  std::vector<std::string> update(const std::vector<node_glance>& now);

private:
  std::map<std::uint64_t, std::string> names_;
  bool was_told_ = false;
};

/// What is done so far.
struct progress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// The status line: the figures, and how many files each node has, as far as it
/// fits into so many columns.
std::string render(const progress& at, const std::vector<node_glance>& nodes,
                   std::size_t width);

} // namespace farm
