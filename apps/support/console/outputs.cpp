#include "outputs.hpp"

#include "terminal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace console {

namespace {

constexpr std::size_t collected_size = std::size_t{64} * 1024;

/// Moves to the beginning of the line, and erases from there.
constexpr std::string_view erasure{"\r\x1b[K"};

} // namespace

outputs::outputs(std::string program, std::atomic<bool>* stop, streams streams)
  : program_(std::move(program)),
    stop_(stop),
    to_(streams),
    results_are_seen_(is_terminal(streams.results)),
    shows_status_(is_terminal(streams.messages)) {
  // nop
}

void outputs::print(std::string_view text) {
  const std::lock_guard<std::mutex> guard{mutex_};
  collected_ += text;
  if (results_are_seen_ || collected_.size() >= collected_size)
    write_collected();
}

bool outputs::finish() {
  int error = 0;
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    write_collected();
    error = error_;
  }
  if (error != 0 && error != EPIPE)
    complain("standard output: " + std::generic_category().message(error));
  return error == 0;
}

void outputs::complain(std::string_view text) {
  const std::lock_guard<std::mutex> guard{mutex_};
  erase_status();
  write_all(to_.messages, fmt::format("{}: {}\n", program_, text));
}

/// A terminal may go to the next line when its last column is written to.
std::size_t outputs::status_width() const {
  return terminal_width(to_.messages) - 1;
}

void outputs::show_status(std::string_view text) {
  if (!shows_status_)
    return;
  const std::lock_guard<std::mutex> guard{mutex_};
  if (text.empty()) {
    erase_status();
    return;
  }
  // Erases what is left of a longer line, and so does not flicker.
  write_all(to_.messages, fmt::format("\r{:.{}}\x1b[K", text, status_width()));
  status_shown_ = true;
}

void outputs::write_collected() {
  if (results_are_seen_)
    erase_status();
  if (error_ == 0)
    error_ = write_all(to_.results, collected_);
  if (error_ != 0 && stop_ != nullptr)
    *stop_ = true;
  collected_.clear();
}

void outputs::erase_status() {
  if (std::exchange(status_shown_, false))
    write_all(to_.messages, erasure);
}

int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

} // namespace console
