#pragma once

#include "outputs.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace console {

/// Keeps a line with the progress on standard error while it lives, if that is
/// a terminal; otherwise does nothing at all.
///
/// Load: a thread draws the line ten times a second, so that it moves while all
///       others wait for a disk. A program that ends sooner shows none.
class progress_line {
public:
  /// Returns the line for so many columns, when that many seconds have passed.
  using text = std::function<std::string(double seconds, std::size_t width)>;

  /// @pre `out` outlives this
  progress_line(outputs& out, text line);

  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  ~progress_line();

private:
  void draw();

  outputs& out_;
  const text line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread drawing_;
};

} // namespace console
