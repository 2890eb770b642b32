#pragma once

#include "support/process.hpp"

#include <string>
#include <vector>

namespace test {

/// Runs poolsim, and waits for it to end.
ended_process run_poolsim(const std::vector<std::string>& arguments,
                          const std::string& input = {});

/// Runs it on the text of a scenario.
ended_process simulate_text(const std::string& text);

} // namespace test
