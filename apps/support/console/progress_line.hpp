#pragma once

#include "outputs.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace console {

/// Shows a line with the progress on standard error while this object exists.
/// Does nothing if standard error is not a terminal.
///
/// Load: a thread draws the line ten times a second, so that it moves while all
///       other threads wait for a disk. A program that ends within the first
///       tenth shows no line.
class progress_line {
public:
  /// Returns the line of at most `width` columns, `seconds` seconds after the
  /// start.
  using text = std::function<std::string(double seconds, std::size_t width)>;

  /// @pre `out` outlives this object
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
