#include "console.hpp"

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace hash_tree {

namespace {

constexpr std::size_t collected_size = std::size_t{64} * 1024;

/// Writes all of it; returns 0 or an errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

} // namespace

console::console(std::atomic<bool>& stop, std::string program)
  : stop_(stop),
    program_(std::move(program)),
    output_is_terminal_(::isatty(STDOUT_FILENO) == 1),
    error_is_terminal_(::isatty(STDERR_FILENO) == 1) {
  // nop
}

void console::print(std::string_view text) {
  const std::lock_guard<std::mutex> guard{mutex_};
  collected_ += text;
  if (output_is_terminal_ || collected_.size() >= collected_size)
    write_collected();
}

void console::flush() {
  const std::lock_guard<std::mutex> guard{mutex_};
  write_collected();
}

void console::complain(std::string_view text) {
  const std::lock_guard<std::mutex> guard{mutex_};
  erase_status();
  auto line = program_ + ": ";
  line += text;
  line += '\n';
  write_all(STDERR_FILENO, line);
}

void console::show_status(std::string_view text) {
  if (!error_is_terminal_)
    return;
  const std::lock_guard<std::mutex> guard{mutex_};
  if (text.empty()) {
    erase_status();
    return;
  }
  std::string line{"\r"};
  line += text;
  line += "\x1b[K"; // erases the rest of a longer line
  write_all(STDERR_FILENO, line);
  status_shown_ = true;
}

void console::write_collected() {
  if (output_is_terminal_)
    erase_status();
  if (output_error_ == 0 && !collected_.empty()) {
    output_error_ = write_all(STDOUT_FILENO, collected_);
    if (output_error_ != 0)
      stop_ = true;
  }
  collected_.clear();
}

void console::erase_status() {
  if (!status_shown_)
    return;
  write_all(STDERR_FILENO, "\r\x1b[K");
  status_shown_ = false;
}

} // namespace hash_tree
