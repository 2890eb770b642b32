#pragma once

// Included by the one source of a program that reads the command line: CLI11
// takes seconds to compile.
#include <CLI/CLI.hpp>

#include <iostream>
#include <string_view>

namespace console {

/// Exit code of a program whose command line is wrong.
constexpr int wrong_usage = 2;

/// Ends the reading of a command line. Prints the help, if it was requested,
/// otherwise the error and the usage. Returns the exit code: 0, or 1 if the
/// help could not be written, or `wrong_usage`.
inline int end_parsing(const CLI::App& app, const CLI::ParseError& why,
                       std::string_view usage) {
  if (why.get_exit_code() == 0)
    return app.exit(why) == 0 && std::cout.flush() ? 0 : 1;
  std::cerr << app.get_name() + ": " + why.what() + '\n' << usage << '\n';
  return wrong_usage;
}

} // namespace console
