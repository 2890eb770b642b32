#pragma once

#include "job_queue.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace durable {

/// `durable submit`
struct submit_options {
  /// Files to hash; empty: paths are read from standard input, one per line.
  std::vector<std::string> paths;
};

/// `durable work`
struct work_options {
  std::size_t workers = 0;
  /// Maximum number of jobs that this process has at the same time.
  std::size_t window = 0;
  /// Maximum number of retries of a job.
  unsigned retries = 3;
  /// Time without a sign of progress after which the server delivers a job
  /// again.
  duration ack_wait{5'000};
  /// Maximum time of an attempt, including the wait for a worker.
  duration deadline{60'000};
  bool until_empty = false;
  std::string results = ".";
};

/// `durable status`
struct status_options {};

/// Options of the command line.
struct options {
  std::string server = "nats://127.0.0.1:4222";
  std::variant<submit_options, work_options, status_options> command;
};

/// Exit codes of the program.
enum exit_code : int {
  success = 0,
  some_failed = 1, ///< the server, a file, or the output
  usage = 2,
};

/// Reads the command line. Prints the help, or the error and the usage, and
/// returns the exit code if the program is to end.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace durable
