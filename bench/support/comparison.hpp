#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One way to answer a question.
struct candidate {
  std::string name;
  /// Does `count` operations in the calling thread, which is one of `threads`.
  std::function<void(benchmark::State&)> run;
};

/// Candidates that answer one question; the others are compared with the first.
struct question {
  std::string name;
  int threads = 1;
  std::vector<candidate> candidates;
};

/// Runs the candidates of each question interleaved in this process and prints
/// each question when it is answered: each candidate's median time per
/// operation and thread with its quartiles, and the difference and the ratio to
/// the first one.
///
/// Options: --json FILE (the same, machine readable), --filter REGEX,
/// --repetitions N, --min-time SECONDS per repetition, --time-limit SECONDS per
/// question, 600 by default, after which the program ends with status 1. Ends
/// the program if it is asked for help, or cannot read an option. Returns the
/// program's exit status.
int compare(int argc, char** argv, const std::vector<question>& questions);

} // namespace bench
