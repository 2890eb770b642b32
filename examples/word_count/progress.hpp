#pragma once

#include "tally.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace word_count {

/// How far the counting is.
struct progress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t words = 0;
  double seconds = 0;
};

/// The line that shows it, in at most `width` columns.
std::string render(const progress& at, std::size_t width);

/// Keeps a line with the progress on standard error while it lives, if that is
/// a terminal; otherwise does nothing at all. A thread draws it, ten times a
/// second.
class progress_line {
public:
  /// @pre `of` outlives this
  explicit progress_line(const tally& of);

  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  ~progress_line();

private:
  void draw();
  progress current() const;

  const tally& of_;
  std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread drawing_;
};

} // namespace word_count
