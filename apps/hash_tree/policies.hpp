#pragma once

#include "messages.hpp"

#include "libpool/pool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hash_tree {

/// How this program runs a policy of the library's catalogue.
struct pool_policy {
  std::string_view name;

  /// Makes the policy of a pool that hashes the files below these paths; the
  /// options, with the number of workers, are for managed policies only.
  std::function<libpool::actor_pool::policy(
    const libpool::managed_options&, const std::vector<std::string>& paths)>
    make;

  /// At most that many files in one request to a pool of that many workers.
  std::size_t (*files_per_request)(std::size_t workers);

  /// At most that many bytes in a request of more than one file.
  std::uint64_t bytes_per_request;

  /// Whether a file may be in one request with the file before it: only if both
  /// are alike in all that the policy asks about a request.
  std::function<bool(const file_task& before, const file_task& next,
                     const std::vector<std::string>& paths)>
    may_share;

  /// How many workers of a pool of that many hash each file.
  std::size_t (*workers_per_file)(std::size_t workers);
};

/// All policies that `--policy` accepts, in the order of `--compare`.
const std::vector<pool_policy>& pool_policies();

/// The one of that name, or nullptr.
const pool_policy* find_policy(std::string_view name);

/// Whether the pool keeps books, and replaces workers that die.
bool is_managed(const pool_policy& policy);

} // namespace hash_tree
