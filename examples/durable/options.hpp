#pragma once

#include "job_queue.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace durable {

/// `durable submit`
struct submit_options {
  /// Empty: those on standard input, one a line.
  std::vector<std::string> paths;
};

/// `durable work`
struct work_options {
  std::size_t workers = 0;
  /// How many jobs this process holds at once.
  std::size_t window = 0;
  /// How often a job goes back to the queue.
  unsigned retries = 3;
  /// How long the queue waits for a sign of life of a job.
  duration ack_wait{5'000};
  /// How long an attempt may take, the wait for a worker included.
  duration deadline{60'000};
  bool until_empty = false;
  std::string results = ".";
};

/// `durable status`
struct status_options {};

/// The options of the command line.
struct options {
  std::string server = "nats://127.0.0.1:4222";
  std::variant<submit_options, work_options, status_options> command;
};

/// The program's exit codes.
enum exit_code : int {
  success = 0,
  some_failed = 1, ///< the server, a file, or the output
  usage = 2,
};

/// Reads the command line. Prints the help, or the error and the usage, and
/// returns the exit code if the program is to end.
std::variant<options, exit_code> parse(int argc, const char* const* argv);

} // namespace durable
