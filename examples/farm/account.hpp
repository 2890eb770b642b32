#pragma once

#include "hash_tree/sha256.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace farm {

/// What has come of one file.
struct result {
  std::string path;
  hash_tree::digest value{};
  std::uint64_t size = 0;
  /// The node that hashed it; none if the front did.
  std::optional<std::string> node = std::nullopt;
  /// Empty if it was hashed.
  std::string error = {};
  /// Not a file to hash, though the user named it; no failure.
  bool skipped = false;
};

/// Files that were lost with a node.
struct losses {
  /// Sent again, and hashed; so often in all.
  std::uint64_t files_repeated = 0;
  std::uint64_t repetitions = 0;
  /// Given up.
  std::uint64_t files_lost = 0;
};

/// What became of all files, and who did it.
class account {
public:
  struct share {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };

  void count(const result& of);

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
