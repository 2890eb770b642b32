#include "options.hpp"

#include "policies.hpp"

#include "console/command_line.hpp"
#include "console/parsing.hpp"
#include "live_page/option.hpp"

#include <string_view>

namespace hash_tree {

namespace {

constexpr std::size_t most_workers = 256;

constexpr const char* footer = R"(
Lines, escapes included, are those of sha256sum: `sha256sum -c` verifies them.
Every path is listed once, in bytewise order, even if it is given several times;
two spellings (`d` and `./d`) are two paths. Devices, FIFOs and sockets are
skipped. A file named `-` is listed as `./-`.

With --follow, each file is listed once, under the first path that leads to it,
and a link back up ends there. Hard links are files of their own.

--compare prints a table instead of digests. Each policy hashes all files three
times, in turns, once the cache is warm; the row shows the run of median time.
The ideal is the same work without a pool: as many plain threads as workers,
each of which takes the next file of the same walk under a mutex. `x ideal` is
time / ideal: 1.00 means that the pool costs nothing. With broadcast, every
worker hashes every file, so `x ideal` is about the number of workers.

Small files that follow each other in a folder are sent in one request, unless
the policy distinguishes them; a big file is a request by itself.

The pool of a managed policy keeps a request until a worker is idle, and replaces
crashed workers. --chaos shows that no file is lost: it kills a random worker
every 0.1 s, in the same order each time, and retries the files of that worker.
At the end it reports the number of killed workers on standard error, and checks
that each request was settled: accepted = completed + failed + cancelled. Direct
policies lose the requests that wait for a killed worker, so --chaos requires a
managed policy.

--trace and --plot show the schedule of the pool of a managed policy: each
request is a task, with the times when the pool accepted it, a worker started it,
and it was settled. Workers are numbered in the order in which they appear; a
replacement has a number of its own. Tasks have the colour or name of the folder
of their files, directly below the given path.

JSON: if a name is not UTF-8, `path` has U+FFFD in place of the invalid bytes,
and `path_hex` has all bytes.

Exit codes: 0 success; 1 a file or an output failed, or the counts of the pool do
not add up, see standard error; 2 wrong usage; 130 or 143 stopped by a signal.)";

constexpr const char* usage_text =
  "Usage: hash_tree [--workers N] [--policy NAME] [--compare]"
  " [--chaos] [--stats] [--follow] [--json FILE]"
  " [--trace FILE] [--plot FILE] PATH...\n"
  "Try 'hash_tree --help'.";

/// CLI11 reads `[a,b]` as two arguments, `{}` as none, and `%%` as the end of a
/// list. A byte in front of such a word hides it from that.
constexpr char shield = '\1';
constexpr std::string_view shielded{"[{%\1"};

/// The words of the command line in CLI11's order, which is from the last one.
std::vector<std::string> words(int argc, const char* const* argv) {
  std::vector<std::string> out;
  for (int i = argc - 1; i > 0; --i) {
    out.emplace_back(argv[i]);
    auto& word = out.back();
    if (!word.empty() && shielded.find(word.front()) != std::string_view::npos)
      word.insert(word.begin(), shield);
  }
  return out;
}

void unshield(std::string& word) {
  if (!word.empty() && word.front() == shield)
    word.erase(word.begin());
}

template <class Entry>
void append(std::string& list, const char* title,
            const std::vector<Entry>& entries) {
  list += title;
  for (const auto& entry : entries)
    if (find_policy(entry.name) != nullptr)
      list.append("\n").append(entry.name).append(": ").append(entry.summary);
}

std::string policy_list() {
  std::string out{"Policy that assigns files to workers."};
  append(out, "\nManaged:", libpool::managed_policies());
  append(out, "\nDirect:", libpool::direct_policies());
  return out;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> out;
  for (const auto& entry : pool_policies())
    out.emplace_back(entry.name);
  return out;
}

void describe(CLI::App& app, options& out) {
  app.footer(footer);
  app
    .add_option("-w,--workers", out.workers,
                "Number of workers, one thread each")
    ->check(CLI::Range(std::size_t{1}, most_workers))
    ->capture_default_str();
  app.add_option("-p,--policy", out.policy, policy_list())
    ->check(CLI::IsMember(policy_names()))
    ->capture_default_str();
  auto* compare =
    app.add_flag("--compare", out.compare,
                 "Run all policies on the files and print a table");
  app
    .add_flag("--chaos", out.chaos,
              "Kill a random worker every 0.1 s; requires a managed policy")
    ->excludes(compare);
  app
    .add_flag("--stats", out.stats,
              "Report the work of each worker on standard error and, with a "
              "managed policy, the service and waiting times")
    ->excludes(compare);
  app.add_flag("--follow", out.follow,
               "Also follow symbolic links below the paths");
  app.add_option("--json", out.json, "Also write the results to this file");
  app
    .add_option("--trace", out.trace,
                "Write the times at which workers hashed files as a trace for "
                "ui.perfetto.dev; requires a managed policy")
    ->excludes(compare);
  app
    .add_option("--plot", out.plot,
                "Draw the times at which workers hashed files as an SVG file; "
                "requires a managed policy")
    ->excludes(compare);
  live_page::describe(app, out.live);
  app
    .add_option("PATH", out.paths,
                "Files to hash, and directories whose files are hashed")
    ->required();
}

void check(const options& options) {
  const auto demand_managed = [&](const char* option) {
    if (!is_managed(*find_policy(options.policy)))
      throw CLI::ValidationError(option, "requires a managed policy, got "
                                           + options.policy);
  };
  if (options.chaos)
    demand_managed("--chaos");
  if (!options.trace.empty())
    demand_managed("--trace");
  if (!options.plot.empty())
    demand_managed("--plot");
}

} // namespace

std::variant<options, exit_code> parse(int argc, const char* const* argv) {
  options out;
  out.workers = console::one_per_core(most_workers);
  CLI::App app{"Prints the SHA-256 of every regular file under the paths, "
               "computed by a pool of actors.",
               "hash_tree"};
  describe(app, out);
  try {
    app.parse(words(argc, argv));
    check(out);
  } catch (const CLI::ParseError& why) {
    return static_cast<exit_code>(console::end_parsing(app, why, usage_text));
  }
  unshield(out.json);
  unshield(out.trace);
  unshield(out.plot);
  for (auto& path : out.paths)
    unshield(path);
  return out;
}

} // namespace hash_tree
