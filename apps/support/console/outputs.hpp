#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include <unistd.h>

namespace console {

/// Where a program writes to.
struct streams {
  int results = STDOUT_FILENO;
  int messages = STDERR_FILENO;
};

/// The two outputs of a program, kept apart on a terminal that shows both:
/// lines on standard output, messages and one status line on standard error.
///
/// Load:    lines are collected and written 64 KiB at a time, on a terminal at
///          once.
/// Threads: any may call anything.
/// Errors:  when standard output takes no more, `stop` is set, and `finish`
///          tells.
class outputs {
public:
  /// `program` is the name in front of messages. `stop` may be null.
  explicit outputs(std::string program, std::atomic<bool>* stop = nullptr,
                   streams streams = {});

  outputs(const outputs&) = delete;
  outputs& operator=(const outputs&) = delete;

  /// Puts text on standard output.
  void print(std::string_view text);

  /// Writes the collected text, and returns whether all text could be written.
  /// Says on standard error why not, unless the reader has closed the pipe: it
  /// knows that there was more.
  bool finish();

  /// Puts a message on standard error, behind the name of the program.
  void complain(std::string_view text);

  /// Whether there is a status line: standard error is a terminal.
  bool shows_status() const noexcept {
    return shows_status_;
  }

  /// How long the status line may be.
  std::size_t status_width() const;

  /// Replaces the status line, of which only so much is shown as fits into the
  /// width of the terminal; an empty one removes it.
  void show_status(std::string_view text);

private:
  void write_collected();
  void erase_status();

  const std::string program_;
  std::atomic<bool>* const stop_;
  const streams to_;
  const bool results_are_seen_;
  const bool shows_status_;
  std::mutex mutex_;
  std::string collected_;
  bool status_shown_ = false;
  int error_ = 0;
};

/// Writes all of the text; returns 0 or an errno.
int write_all(int fd, std::string_view text) noexcept;

} // namespace console
