#pragma once

#include <cstddef>
#include <string_view>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace console {

/// The exit code of a program whose command line is wrong.
constexpr int wrong_usage = 2;

/// Ends the reading of a command line: prints the help, if that was asked for,
/// or else what is wrong and the usage. Returns the exit code: 0, or 1 if the
/// help could not be written, or `wrong_usage`.
int end_parsing(const CLI::App& app, const CLI::ParseError& why,
                std::string_view usage);

/// A worker for each core of this machine, at least one and so many at most.
std::size_t one_per_core(std::size_t most);

} // namespace console
