#pragma once

#include <cstddef>

namespace console {

/// Whether the file descriptor is a terminal.
bool is_terminal(int fd) noexcept;

/// The columns of the terminal that the file descriptor is; where it does not
/// know, those that the variable COLUMNS of the environment has, or else 80.
std::size_t terminal_width(int fd);

} // namespace console
