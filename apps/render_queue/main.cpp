/// Playheads that ask for frames by due times, seek, and drop what they asked
/// for, as in a film review player: with a managed pool, and by hand on
/// caf::actor_pool.

#include "run.hpp"

#include "console/parsing.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace {

using namespace render_queue;

constexpr const char* footer = R"(
Both sources of frames get the same requests. A frame is late if it is not there
when its playhead is to show it, and dropped if the playhead has sought elsewhere
before. A read is wasted if it finishes after its frame was due or dropped. Exit
codes: 0 success; 1 a request or an output failed; 2 wrong usage.)";

constexpr const char* usage =
  "Usage: render_queue [--seconds N] [--playheads N] [--readers N]"
  " [--read-ahead N] [--most-reading N] [--seed N]\n"
  "Try 'render_queue --help'.";

void describe(CLI::App& app, scenario& out) {
  auto number = [&](const char* name, std::size_t& value, const char* what) {
    app.add_option(name, value, what)
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}))
      ->capture_default_str();
  };
  number("--playheads", out.playheads, "Number of playheads");
  number("--readers", out.readers, "Number of readers, one thread each");
  number("--read-ahead", out.read_ahead,
         "Number of frames that a playhead asks for before they are due");
  number("--most-reading", out.most_reading,
         "Maximum number of readers that read for one playhead");
  auto finite = [](const std::string& text) { // CLI11's range contains NaN
    return std::isfinite(std::stod(text)) ? "" : "must be a number";
  };
  app
    .add_option("-s,--seconds", out.seconds,
                "Duration of the run with each source of frames, in seconds")
    ->check(CLI::Range(0.1, 600.0))
    ->check(finite)
    ->capture_default_str();
  app.add_option("--seed", out.seed, "Seed of the seeks and of the work")
    ->capture_default_str();
}

std::uint64_t count(const run_result& run, fate fate) {
  std::uint64_t result = 0;
  for (const auto& playhead : run.playheads)
    for (const auto& each : playhead.frames)
      result += each.how == fate ? 1 : 0;
  return result;
}

template <class T>
void print_row(const char* title, const T& by_hand, const T& by_pool) {
  std::cout << fmt::format("{:<26}{:>10}{:>10}\n", title, by_hand, by_pool);
}

void print(const run_result& a, const run_result& b) {
  const std::chrono::milliseconds ms{1};
  print_row("", "by hand", "libpool");
  print_row("lines of code", LINES_BY_HAND, LINES_BY_POOL);
  for (auto [how, title] : {std::pair{fate::on_time, "frames on time"},
                            std::pair{fate::late, "frames late"},
                            std::pair{fate::dropped, "frames dropped"}})
    print_row(title, count(a, how), count(b, how));
  print_row("reads finished", a.reads.finished, b.reads.finished);
  print_row("reads wasted", a.reads.wasted, b.reads.wasted);
  print_row("reads stopped early", a.reads.stopped, b.reads.stopped);
  print_row("reader time wasted, ms", a.reads.time_wasted / ms,
            b.reads.time_wasted / ms);
  print_row("most reads of a playhead", a.reads.most_at_once,
            b.reads.most_at_once);
}

} // namespace

int main(int argc, char** argv) try {
  scenario wanted;
  CLI::App app{"Compares a managed pool with a queue by hand on "
               "caf::actor_pool, for playheads that seek.",
               "render_queue"};
  app.footer(footer);
  describe(app, wanted);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return console::end_parsing(app, why, usage);
  }
  const auto first = run(by_hand, wanted);
  print(first, run(by_pool, wanted));
  if (!std::cout.flush())
    throw std::runtime_error{"standard output: cannot write"};
  return 0;
} catch (const std::exception& why) {
  std::cerr << "render_queue: " << why.what() << '\n';
  return 1;
}
