#include "options.hpp"

#include "console/command_line.hpp"
#include "console/parsing.hpp"
#include "live_page/option.hpp"

namespace word_count {

namespace {

constexpr std::size_t most_workers = 256;
constexpr std::size_t most_words = 1'000'000'000;
constexpr std::uint64_t largest_chunk = 1'000'000'000;

constexpr const char* footer = R"(
A word is a run of ASCII letters and digits; small and capital letters are the
same. The output is that of

  grep -rhI '' PATH | tr -cs 'A-Za-z0-9' '\n' | tr 'A-Z' 'a-z' |
    grep . | sort | uniq -c

with LC_ALL=C. Files with a NUL byte in their first 32 KiB are not text and are
skipped, as are links below PATH.

Exit codes: 0 success; 1 a file could not be read or an output failed, see
standard error, all other files were counted; 2 wrong usage.)";

constexpr const char* usage_text =
  "Usage: word_count [--workers N] [--chunk BYTES] [--top N]"
  " [--quiet] [PATH]\n"
  "Try 'word_count --help'.";

void describe(CLI::App& app, options& out) {
  app.footer(footer);
  app.add_option("PATH", out.path, "A file, or a folder with files")
    ->capture_default_str();
  app
    .add_option("-w,--workers", out.workers,
                "Number of workers, one thread each")
    ->check(CLI::Range(std::size_t{1}, most_workers))
    ->capture_default_str();
  app
    .add_option("-c,--chunk", out.chunk,
                "Size of the pieces of a file that a worker counts, in bytes")
    ->check(CLI::Range(std::uint64_t{1}, largest_chunk))
    ->capture_default_str();
  app
    .add_option("-t,--top", out.top,
                "Maximum number of words to print, the most frequent first")
    ->check(CLI::Range(std::size_t{1}, most_words));
  live_page::describe(app, out.live);
  app.add_flag("-q,--quiet", out.quiet, "Show no progress");
}

} // namespace

std::variant<options, exit_code> parse(int argc, const char* const* argv) {
  options out;
  out.workers = console::one_per_core(most_workers);
  CLI::App app{"Counts how often each word occurs in the text files under a "
               "path.",
               "word_count"};
  describe(app, out);
  try {
    app.parse(argc, argv);
    return out;
  } catch (const CLI::ParseError& why) {
    return static_cast<exit_code>(console::end_parsing(app, why, usage_text));
  }
}

} // namespace word_count
