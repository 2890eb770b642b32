/// Numbers and names as texts for users.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace console {

/// Returns a size: "17 B", "1.5 KiB", "20.0 MiB".
std::string human_bytes(std::uint64_t bytes);

/// Returns a rate: "1.5 KiB/s"; "0 B/s" if no time has passed.
std::string human_rate(std::uint64_t bytes, double seconds);

/// Returns a duration, rounded up, as "mm:ss", or as "h:mm:ss" from one hour
/// on.
std::string human_seconds(double seconds);

/// Joins as many of the figures as fit into the width, from the first one on,
/// with two blanks between them. A figure is never cut, since that would change
/// it.
std::string line_of(const std::vector<std::string>& figures, std::size_t width);

/// Returns the name for use in a text: one line, without characters that could
/// control a terminal.
std::string printable(std::string_view name);

} // namespace console
