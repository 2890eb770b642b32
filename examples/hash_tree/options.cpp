#include "options.hpp"

#include "policies.hpp"

#include "console/command_line.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace hash_tree {

namespace {

constexpr std::size_t most_workers = 256;

constexpr const char* footer = R"(
Lines, escapes included, are those of sha256sum: `sha256sum -c` verifies them.
Every path is listed once, in bytewise order, however often it was named; two
spellings of it (`d` and `./d`) are two paths. Devices, FIFOs and sockets are
skipped. A file named `-` is listed as `./-`.

With --follow, each file is listed once, under the first path that leads to it,
and a link back up ends there. Hard links are files of their own.

--compare prints a table instead of digests. Each policy hashes all files three
times, in turns, once the cache is warm; the row is that of its median time.
The ideal is the same work without a pool: as many plain threads as workers,
each of which takes the next file from the same walk under a mutex. `x ideal`
is time / ideal: 1.00 means that the pool costs nothing. With broadcast every
worker hashes every file, so there it is about the number of workers.

Small files that follow each other in a folder make one request to the pool, as
far as the policy does not tell them apart; a big file is a request by itself.

The pool of a managed policy keeps a request until a worker is free, and replaces
workers that die. --chaos shows that nothing is lost then: it kills a random
worker every 0.1 s, in the same order each time, and has files that a worker
took with it hashed again. At the end it says on standard error how many died,
and checks that every request was accounted for: accepted = completed + failed +
cancelled. Direct policies lose what waits for a worker that dies, so they
cannot be used with it.

--trace and --plot show how the pool of a managed policy went about it: each
request is a task, from when it came to the pool over when a worker began with it
until it was settled. Workers are numbered in the order in which they come up; one
that takes the place of another has a number of its own. Tasks have the colour
or name of the folder that their files are in, just below the path that was named.

JSON: a name that is not UTF-8 has U+FFFD in `path` for what is not, and all
its bytes in `path_hex`.

Exit codes: 0 all well; 1 a file or an output failed, or the books do not
balance, see standard error; 2 wrong usage; 130 or 143 stopped by a signal.)";

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
  std::string out{"How files are given to workers."};
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
                 "Run every policy over the files and print a table");
  app
    .add_flag("--chaos", out.chaos,
              "Kill a random worker every 0.1 s; with managed policies")
    ->excludes(compare);
  app
    .add_flag("--stats", out.stats,
              "Say on standard error what each worker has done, and with "
              "managed policies how long requests took and waited")
    ->excludes(compare);
  app.add_flag("--follow", out.follow,
               "Follow symbolic links below the paths too");
  app.add_option("--json", out.json, "Write the results to this file too");
  app
    .add_option("--trace", out.trace,
                "Write when which worker hashed what to this file, for "
                "ui.perfetto.dev; with managed policies")
    ->excludes(compare);
  app
    .add_option("--plot", out.plot,
                "Draw that as a picture, an SVG file; with managed policies")
    ->excludes(compare);
  live_page::describe(app, out.live);
  app.add_option("PATH", out.paths, "Files, and directories to walk")
    ->required();
}

void check(const options& options) {
  const auto demand_managed = [&](const char* option) {
    if (!is_managed(*find_policy(options.policy)))
      throw CLI::ValidationError(option,
                                 options.policy + " is not a managed policy");
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
