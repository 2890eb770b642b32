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

/// Runs poolsim, and waits for it to end.
ended_process run_poolsim(const std::vector<std::string>& arguments,
                          const std::string& input = {});

/// Runs it on the text of a scenario.
ended_process simulate_text(const std::string& text);

} // namespace test
