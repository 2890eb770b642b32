#pragma once

#include <cstddef>
#include <string_view>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace console {

/// Exit code of a program whose command line is wrong.
constexpr int wrong_usage = 2;

/// Ends the reading of a command line. Prints the help, if it was requested,
/// otherwise the error and the usage. Returns the exit code: 0, or 1 if the
/// help could not be written, or `wrong_usage`.
int end_parsing(const CLI::App& app, const CLI::ParseError& why,
                std::string_view usage);

/// Returns the number of cores of this machine, at least 1 and at most `most`.
std::size_t one_per_core(std::size_t most);

} // namespace console
