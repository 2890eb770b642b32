#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace hash_tree {

/// The program's two outputs, kept apart on a terminal that shows both: lines
/// on standard output, messages and one status line on standard error.
///
/// Load:    lines are collected and written 64 KiB at a time, on a terminal at
///          once.
/// Threads: any may call anything.
/// Errors:  when standard output takes no more, `stop` is set, and
///          `output_error` says why.
class console {
public:
  /// `program` is the name in front of messages.
  console(std::atomic<bool>& stop, std::string program);

  console(const console&) = delete;
  console& operator=(const console&) = delete;

  /// Puts text on standard output.
  void print(std::string_view text);

  /// Writes the collected text.
  void flush();

  /// Puts a message on standard error, behind the program's name.
  void complain(std::string_view text);

  /// Replaces the status line; an empty one removes it. Does nothing where
  /// standard error is no terminal.
  void show_status(std::string_view text);

  /// The errno of the first failure to write to standard output.
  int output_error() const {
    return output_error_;
  }

private:
  void write_collected();
  void erase_status();

  std::atomic<bool>& stop_;
  const std::string program_;
  const bool output_is_terminal_;
  const bool error_is_terminal_;
  std::mutex mutex_;
  std::string collected_;
  bool status_shown_ = false;
  std::atomic<int> output_error_{0};
};

} // namespace hash_tree
