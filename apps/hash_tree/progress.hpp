#pragma once

#include "results.hpp"

#include "console/progress_line.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace hash_tree {

/// The figures of a progress bar.
struct progress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  /// All files to hash, as far as `counted` says that this is known.
  std::uint64_t all_files = 0;
  std::uint64_t all_bytes = 0;
  bool counted = false;
  double seconds = 0;
};

/// The line of a progress bar: part done, files, bytes, rate, remaining time,
/// and in front a bar that takes the rest of `width` columns. Figures that are
/// not known yet, and those that do not fit, are left out.
std::string render(const progress& progress, std::size_t width);

/// Keeps a progress bar on standard error while it lives, if that is a
/// terminal; otherwise does nothing at all.
///
/// A thread walks ahead and counts the files.
class progress_bar {
public:
  /// `copies`: how many workers hash each file.
  progress_bar(console::outputs& out, const run_state& state,
               std::size_t copies, const std::vector<std::string>& paths,
               bool follow);

  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  ~progress_bar();

private:
  void count(const std::vector<std::string>& paths, bool follow);
  progress current(double seconds) const;

  const run_state& state_;
  std::size_t copies_;
  std::atomic<std::uint64_t> all_files_{0};
  std::atomic<std::uint64_t> all_bytes_{0};
  std::atomic<bool> counted_{false};
  std::atomic<bool> over_{false};
  std::thread counting_;
  /// Reads all others.
  console::progress_line line_;
};

} // namespace hash_tree
