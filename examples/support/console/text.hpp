/// Numbers and names in messages to people.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace console {

/// A size as people write it: "17 B", "1.5 KiB", "20.0 MiB".
std::string human_bytes(std::uint64_t bytes);

/// So many bytes in that time: "1.5 KiB/s"; "0 B/s" in no time.
std::string human_rate(std::uint64_t bytes, double seconds);

/// A length of time, rounded up, as "mm:ss", from one hour on as "h:mm:ss".
std::string human_seconds(double seconds);

/// As many of the figures, from the first one on, as fit into the width, with
/// two blanks between them. None is cut: that would make it another one.
std::string line_of(const std::vector<std::string>& figures, std::size_t width);

/// A name for a message: always one line, without characters that a terminal
/// would obey.
std::string printable(std::string_view name);

} // namespace console
