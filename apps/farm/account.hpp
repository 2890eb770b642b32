#pragma once

#include "hash_tree/sha256.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace farm {

/// Result of one file.
struct result {
  std::string path;
  hash_tree::digest value{};
  std::uint64_t size = 0;
  /// Name of the node that hashed the file; unset if the front hashed it.
  std::optional<std::string> node = std::nullopt;
  /// Reason why the file was not hashed; empty if it was hashed.
  std::string error = {};
  /// Whether the path was skipped because it is not a regular file. A skipped
  /// path is not a failure.
  bool skipped = false;
};

/// Files that were lost with a node.
struct losses {
  /// Number of files that were lost, sent again, and hashed.
  std::uint64_t files_repeated = 0;
  /// Number of losses of all files: a file can be lost several times.
  std::uint64_t repetitions = 0;
  /// Number of files that were lost and not hashed.
  std::uint64_t files_lost = 0;
};

/// Numbers of hashed and failed files, in total and by node.
class account {
public:
  struct share {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };

  void count(const result& result);

  const share& all() const {
    return all_;
  }

  std::uint64_t failed() const {
    return failed_;
  }

  /// The report at the end.
  std::vector<std::string> lines(const losses& lost) const;

private:
  share all_;
  share front_;
  std::map<std::string, share> nodes_;
  std::uint64_t failed_ = 0;
};

} // namespace farm
