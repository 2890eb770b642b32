#include "progress.hpp"

#include "clock.hpp"
#include "format.hpp"
#include "walk.hpp"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace hash_tree {

namespace {

constexpr std::size_t widest_bar = 30;
constexpr std::size_t narrowest_bar = 4;
constexpr auto redraw_interval = std::chrono::milliseconds(100);

/// To open a file takes about as long as to hash this many bytes.
constexpr double cost_of_a_file = 8192;

double work(std::uint64_t files, std::uint64_t bytes) {
  return static_cast<double>(files) * cost_of_a_file
         + static_cast<double>(bytes);
}

/// Files may grow after they were counted, hence the bound.
double part_done(const progress& at) {
  const auto all = work(at.all_files, at.all_bytes);
  return all == 0 ? 0 : std::min(work(at.files, at.bytes) / all, 1.0);
}

/// "[####------] " in at most `columns`; nothing if they are too few.
std::string bar(double part, std::size_t columns) {
  constexpr std::size_t frame = 3;
  if (columns < narrowest_bar + frame)
    return {};
  const auto length = std::min(columns - frame, widest_bar);
  const auto full =
    static_cast<std::size_t>(part * static_cast<double>(length));
  return '[' + std::string(full, '#') + std::string(length - full, '-') + "] ";
}

std::string percent(double part) {
  return std::to_string(static_cast<int>(100 * part)) + " %  ";
}

std::string of(const std::string& done, const std::string& all, bool known) {
  return known ? done + '/' + all : done;
}

std::string rate(const progress& at) {
  return human_bytes(static_cast<double>(at.bytes) / at.seconds) + "/s";
}

/// Assumes that the rest goes as fast as the part that is done.
std::string remaining(double part, double seconds) {
  return human_seconds(seconds * (1 - part) / part) + " left";
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

} // namespace

std::string render(const progress& at, std::size_t width) {
  const auto part = part_done(at);
  auto line = at.counted ? percent(part) : std::string{};
  line += of(std::to_string(at.files), std::to_string(at.all_files), at.counted)
          + " files  "
          + of(human_bytes(static_cast<double>(at.bytes)),
               human_bytes(static_cast<double>(at.all_bytes)), at.counted);
  if (at.seconds > 0)
    line += "  " + rate(at);
  if (at.counted && part > 0 && at.seconds > 0)
    line += "  " + remaining(part, at.seconds);
  line.resize(std::min(line.size(), width));
  return at.counted ? bar(part, width - line.size()) + line : line;
}

progress_bar::progress_bar(console& out, const run_state& state,
                           std::size_t copies,
                           const std::vector<std::string>& paths, bool follow)
  : out_(out), state_(state), copies_(copies), started_(now()) {
  if (::isatty(STDERR_FILENO) != 1)
    return;
  drawing_ = std::thread{[this] { draw(); }};
  counting_ = std::thread{[=, &paths] { count(paths, follow); }};
}

progress_bar::~progress_bar() {
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    over_ = true;
  }
  wake_.notify_all();
  for (auto* thread : {&drawing_, &counting_})
    if (thread->joinable())
      thread->join();
  out_.show_status("");
}

void progress_bar::draw() {
  std::unique_lock<std::mutex> guard{mutex_};
  while (!wake_.wait_for(guard, redraw_interval, [this] { return !!over_; }))
    out_.show_status(render(current(), terminal_width() - 1));
}

void progress_bar::count(const std::vector<std::string>& paths, bool follow) {
  walk files{paths, follow};
  while (auto item = files.next()) {
    if (over_)
      return;
    ++all_files_;
    if (item->is == found::kind::regular)
      all_bytes_ += size_of(item->path);
  }
  counted_ = true;
}

progress progress_bar::current() const {
  progress at;
  at.files = state_.files_done;
  at.bytes = state_.bytes_hashed() / copies_;
  at.counted = counted_;
  at.all_files = all_files_;
  at.all_bytes = all_bytes_;
  at.seconds = now() - started_;
  return at;
}

} // namespace hash_tree
