#include "options.hpp"

#include "console/command_line.hpp"

#include <CLI/CLI.hpp>

namespace durable {

namespace {

constexpr std::size_t most_workers = 256;
constexpr std::size_t most_jobs = 100'000;
constexpr unsigned most_retries = 1'000;
constexpr double longest_time = 86'400;

constexpr const char* footer = R"(
Each job is a file to hash. `submit` puts jobs into a queue of a NATS server with
JetStream. Any number of processes `work` on the jobs, and write the line that
sha256sum prints to one file per job. No submitted job is lost if a process or
the server is killed. A job may run twice, which is safe: it is idempotent.

Exit codes: 0 success; 1 the server, a file or the output failed, see standard
error; 2 wrong usage.)";

constexpr const char* usage_text =
  "Usage: durable [--server URL] submit [PATH...]\n"
  "       durable [--server URL] work [--results FOLDER]"
  " [--workers N] ...\n"
  "       durable [--server URL] status\n"
  "Try 'durable --help' and 'durable work --help'.";

/// The options as they are on the command line.
struct words {
  submit_options submit;
  work_options work;
  double ack_wait = 5;
  double deadline = 60;
};

void describe_submit(CLI::App& app, submit_options& out) {
  app.add_option(
    "PATH", out.paths,
    "Files to hash; none: read the paths from standard input, one per line");
}

void add_seconds(CLI::App& app, const char* name, double& out,
                 const char* meaning) {
  app.add_option(name, out, meaning)
    ->check(CLI::Range(0.1, longest_time))
    ->capture_default_str();
}

void describe_work(CLI::App& app, words& out) {
  auto& work = out.work;
  app.add_option("-r,--results", work.results, "Folder for the results")
    ->check(CLI::ExistingDirectory)
    ->capture_default_str();
  app
    .add_option("-w,--workers", work.workers,
                "Number of workers, one thread each")
    ->check(CLI::Range(std::size_t{1}, most_workers))
    ->capture_default_str();
  app
    .add_option("--window", work.window,
                "Maximum number of jobs that this process has taken from the "
                "queue and not finished; 0: two per worker")
    ->check(CLI::Range(std::size_t{0}, most_jobs))
    ->capture_default_str();
  app
    .add_option("--retries", work.retries,
                "Maximum number of retries of a job; after that the job goes "
                "to the list of dead jobs")
    ->check(CLI::Range(0U, most_retries))
    ->capture_default_str();
  add_seconds(app, "--ack-wait", out.ack_wait,
              "Seconds after which the server delivers a job again if this "
              "process has not reported progress");
  add_seconds(app, "--deadline", out.deadline,
              "Maximum time of an attempt, in seconds; a longer attempt fails");
  app.add_flag("--until-empty", work.until_empty,
               "End when the queue is empty");
}

duration milliseconds(double seconds) {
  return duration{static_cast<duration::rep>(seconds * 1'000)};
}

work_options complete(const words& said) {
  auto out = said.work;
  if (out.window == 0)
    out.window = 2 * out.workers;
  out.ack_wait = milliseconds(said.ack_wait);
  out.deadline = milliseconds(said.deadline);
  return out;
}

} // namespace

std::variant<options, exit_code> parse(int argc, const char* const* argv) {
  options out;
  words said;
  said.work.workers = console::one_per_core(most_workers);
  CLI::App app{"Hashes files, with a durable queue of jobs.", "durable"};
  app.footer(footer);
  app.add_option("--server", out.server, "URL of the NATS server")
    ->capture_default_str();
  app.require_subcommand(1);
  auto* submit = app.add_subcommand("submit", "Put jobs into the queue");
  auto* work = app.add_subcommand("work",
                                  "Take jobs from the queue and run them");
  app.add_subcommand("status",
                     "Print the number of jobs, and list the dead jobs");
  describe_submit(*submit, said.submit);
  describe_work(*work, said);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return static_cast<exit_code>(console::end_parsing(app, why, usage_text));
  }
  if (submit->parsed())
    out.command = said.submit;
  else if (work->parsed())
    out.command = complete(said);
  else
    out.command = status_options{};
  return out;
}

} // namespace durable
