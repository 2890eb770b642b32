#pragma once

#include <string>
#include <vector>

namespace test {

/// The outputs and the status of a program that has ended.
struct ended_process {
  int status = -1; ///< -1: it did not exit by itself
  std::string out;
  std::string err;
};

/// Runs a program by its path or its name, and waits for it to end.
ended_process run_program(std::vector<std::string> words,
                          const std::string& input = {});

} // namespace test
