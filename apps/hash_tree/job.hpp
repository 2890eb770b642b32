#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hash_tree {

/// The files to hash, and the number of workers.
struct job {
  std::vector<std::string> paths;
  bool follow = false;
  std::size_t workers = 1;
  /// Whether workers are killed meanwhile, see `killer`.
  bool chaos = false;
};

} // namespace hash_tree
