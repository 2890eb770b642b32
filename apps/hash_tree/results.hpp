#pragma once

#include "live_page/live_page.hpp"

#include "sha256.hpp"

#include "libpool/actors/pool_stats.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hash_tree {

class recording;

/// Result of one file, as the user sees it.
struct result {
  std::string path;
  digest value{};
  std::uint64_t size = 0;
  /// Error text; empty if the file was hashed.
  std::string error;
  /// Whether the user named a path that is not a file to hash. This is not a
  /// failure.
  bool skipped = false;
};

/// Receiver of results, one after the other, in the order of their paths.
class sink {
public:
  sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;
  virtual ~sink() = default;

  virtual void settled(const result& result) = 0;
};

/// Sums over many files.
struct totals {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;

  void count(const result& result);
};

/// Work of one worker, and of the workers that replaced it after it was killed.
/// On a cache line of its own, since workers write it all the time.
struct alignas(64) worker_tally {
  std::atomic<std::uint64_t> files{0};
  std::atomic<std::uint64_t> bytes{0};
};

/// State that the threads of one run share: a few numbers, and a request to
/// stop.
struct run_state {
  run_state(std::size_t workers, std::atomic<bool>& stop_flag)
    : stop(stop_flag), tallies(workers) {
    // nop
  }

  /// Request to stop; checked between two chunks of a file.
  std::atomic<bool>& stop;
  /// Number of files whose results were reported; read by the progress bar.
  std::atomic<std::uint64_t> files_done{0};
  std::vector<worker_tally> tallies;
  /// Number of workers that were told to crash.
  std::atomic<std::uint64_t> kills{0};
  /// Stats of a managed pool after the last task was settled.
  std::optional<libpool::pool_stats> pool;
  /// Recording of each request of a managed pool; nullptr: no recording.
  std::shared_ptr<recording> seen;
  /// Page that shows the pool; nullptr: no page.
  live_page::page* page = nullptr;

  /// Returns the number of bytes that all workers have hashed so far.
  std::uint64_t bytes_hashed() const;
  /// Returns the share of each worker in percent, by bytes, or by files if all
  /// files are empty.
  std::vector<double> shares() const;
};

} // namespace hash_tree
