#include "progress_line.hpp"

#include <chrono>
#include <utility>

namespace console {

namespace {

using clock = std::chrono::steady_clock;

constexpr auto redraw_interval = std::chrono::milliseconds{100};

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

} // namespace

progress_line::progress_line(outputs& out, text line)
  : out_(out), line_(std::move(line)) {
  if (out.shows_status())
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
  const auto begin = clock::now();
  std::unique_lock<std::mutex> guard{mutex_};
  while (!wake_.wait_for(guard, redraw_interval, [this] { return over_; }))
    out_.show_status(line_(seconds_since(begin), out_.status_width()));
  out_.show_status("");
}

} // namespace console
