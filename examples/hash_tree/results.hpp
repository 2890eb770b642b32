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

/// The result of one file, as the user sees it.
struct result {
  std::string path;
  digest value{};
  std::uint64_t size = 0;
  /// Empty if the file was hashed.
  std::string error;
  /// Not a file to hash, though the user named it; no failure.
  bool skipped = false;
};

/// Takes results one after the other, in the order of their paths.
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

/// The work of one worker, and of the workers that took its place when it was
/// killed. On a cache line of its own: workers write these all the time.
struct alignas(64) worker_tally {
  std::atomic<std::uint64_t> files{0};
  std::atomic<std::uint64_t> bytes{0};
};

/// The state that the threads of one run share: a few numbers, and a request to
/// stop.
struct run_state {
  run_state(std::size_t workers, std::atomic<bool>& stop_flag)
    : stop(stop_flag), tallies(workers) {
    // nop
  }

  /// Looked at between any two chunks of a file.
  std::atomic<bool>& stop;
  /// Files whose result is out; read by the progress bar.
  std::atomic<std::uint64_t> files_done{0};
  std::vector<worker_tally> tallies;
  /// Workers that were told to die.
  std::atomic<std::uint64_t> kills{0};
  /// The stats of a managed pool after the last task was settled.
  std::optional<libpool::pool_stats> pool;
  /// Told of each request by a managed pool; nullptr: of none.
  std::shared_ptr<recording> seen;
  /// Shows the pool; nullptr: nothing does.
  live_page::page* page = nullptr;

  /// Bytes hashed by all workers so far.
  std::uint64_t bytes_hashed() const;
  /// Each worker's part of the work in percent, by bytes, or by files where
  /// there are no bytes.
  std::vector<double> shares() const;
};

} // namespace hash_tree
