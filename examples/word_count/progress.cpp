#include "progress.hpp"

#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>

#include <sys/ioctl.h>
#include <unistd.h>

namespace word_count {

namespace {

constexpr auto redraw_interval = std::chrono::milliseconds{100};

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

} // namespace

std::string render(const progress& at, std::size_t width) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << at.files << " files  "
      << megabytes(at.bytes) << " MB  ";
  if (at.seconds > 0)
    out << megabytes(at.bytes) / at.seconds << " MB/s  ";
  out << at.words << " words";
  return out.str().substr(0, width);
}

progress_line::progress_line(const tally& of)
  : of_(of), begin_(std::chrono::steady_clock::now()) {
  if (::isatty(STDERR_FILENO) == 1)
    drawing_ = std::thread{[this] { draw(); }};
}

progress_line::~progress_line() {
  if (!drawing_.joinable())
    return;
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    over_ = true;
  }
  wake_.notify_one();
  drawing_.join();
}

void progress_line::draw() {
  const std::string erase{"\r\x1b[K"};
  std::unique_lock<std::mutex> guard{mutex_};
  while (!wake_.wait_for(guard, redraw_interval, [this] { return over_; }))
    std::cerr << erase + render(current(), terminal_width());
  std::cerr << erase;
}

progress progress_line::current() const {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now()
                                             - begin_;
  return {of_.files, of_.bytes, of_.words, time.count()};
}

} // namespace word_count
