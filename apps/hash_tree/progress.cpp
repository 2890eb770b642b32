#include "progress.hpp"

#include "walk.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hash_tree {

namespace {

constexpr std::size_t widest_bar = 30;
constexpr std::size_t narrowest_bar = 4;

/// To open a file takes about as long as to hash this many bytes.
constexpr double cost_of_a_file = 8192;

double work(std::uint64_t files, std::uint64_t bytes) {
  return static_cast<double>(files) * cost_of_a_file
         + static_cast<double>(bytes);
}

/// Files may grow after they were counted, hence the bound.
double part_done(const progress& progress) {
  const auto all = work(progress.all_files, progress.all_bytes);
  return all == 0 ? 0
                  : std::min(work(progress.files, progress.bytes) / all, 1.0);
}

/// "[####------] " in at most `columns`; nothing if they are too few.
std::string bar(double part, std::size_t columns) {
  constexpr std::size_t frame = 3;
  if (columns < narrowest_bar + frame)
    return {};
  const auto length = std::min(columns - frame, widest_bar);
  const auto full =
    static_cast<std::size_t>(part * static_cast<double>(length));
  return fmt::format("[{:#<{}}{:-<{}}] ", "", full, "", length - full);
}

std::string of(const std::string& done, const std::string& all, bool known) {
  return known ? done + '/' + all : done;
}

/// Assumes that the rest goes as fast as the part that is done.
std::string remaining(double part, double seconds) {
  return console::human_seconds(seconds * (1 - part) / part) + " left";
}

std::vector<std::string> figures(const progress& progress) {
  std::vector<std::string> out;
  const auto part = part_done(progress);
  if (progress.counted)
    out.push_back(fmt::format("{} %", static_cast<int>(100 * part)));
  out.push_back(of(fmt::to_string(progress.files),
                   fmt::to_string(progress.all_files), progress.counted)
                + " files");
  out.push_back(of(console::human_bytes(progress.bytes),
                   console::human_bytes(progress.all_bytes), progress.counted));
  if (progress.seconds > 0)
    out.push_back(console::human_rate(progress.bytes, progress.seconds));
  if (progress.counted && part > 0 && progress.seconds > 0)
    out.push_back(remaining(part, progress.seconds));
  return out;
}

} // namespace

std::string render(const progress& progress, std::size_t width) {
  const auto line = console::line_of(figures(progress), width);
  return progress.counted ? bar(part_done(progress), width - line.size()) + line
                          : line;
}

progress_bar::progress_bar(console::outputs& out, const run_state& state,
                           std::size_t copies,
                           const std::vector<std::string>& paths, bool follow)
  : state_(state),
    copies_(copies),
    line_(out, [this](double seconds, std::size_t width) {
      return render(current(seconds), width);
    }) {
  if (out.shows_status())
    counting_ = std::thread{[=, &paths] { count(paths, follow); }};
}

progress_bar::~progress_bar() {
  over_ = true;
  if (counting_.joinable())
    counting_.join();
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

progress progress_bar::current(double seconds) const {
  progress progress;
  progress.files = state_.files_done;
  progress.bytes = state_.bytes_hashed() / copies_;
  progress.counted = counted_;
  progress.all_files = all_files_;
  progress.all_bytes = all_bytes_;
  progress.seconds = seconds;
  return progress;
}

} // namespace hash_tree
