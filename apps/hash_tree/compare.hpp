#pragma once

#include "run.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace hash_tree {

/// How one policy did.
struct comparison_row {
  std::string policy;
  double seconds = 0;
  double mib_per_second = 0;
  /// The ratio of the seconds to the seconds of the ideal.
  double over_ideal = 0;
  /// Each worker's part of the work, in percent.
  std::vector<double> shares;
};

/// The results of all policies over one set of files.
struct comparison {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t workers = 0;
  /// Plain threads, without a pool.
  comparison_row ideal;
  std::vector<comparison_row> policies;
  /// Policies whose digests differ from the first run's: none, as long as the
  /// files stay as they are.
  std::vector<std::string> different;
};

/// Runs every policy over the files, and plain threads as well, three times in
/// turns, so that a slow moment of the machine does not meet one of them alone.
/// Takes the median of each. The first run, not measured, warms the cache; its
/// results go to `first`.
///
/// Tells `announce` what comes next. Ends early, with nonsense, once `stop` is
/// set.
comparison compare(caf::actor_system& system, const job& job, sink& first,
                   std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& announce);

/// The comparison as a table for people.
std::string table(const comparison& comparison);

} // namespace hash_tree
