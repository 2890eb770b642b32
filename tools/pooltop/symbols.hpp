#pragma once

#include <array>
#include <string_view>

namespace pooltop {

/// The characters that are drawn with: Unicode, or ASCII for terminals that
/// have nothing else.
struct symbols {
  bool is_ascii = false;
  std::string_view arrow;
  std::string_view ellipsis;
  std::string_view up;
  std::string_view down;
  std::string_view track; ///< the rest of a bar
  /// From none to the highest.
  std::array<std::string_view, 8> levels;
  /// From an eighth of a cell to all of it.
  std::array<std::string_view, 8> eighths;
};

constexpr symbols unicode_symbols{
  false,
  "→",
  "…",
  "▲",
  "▼",
  "·",
  {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
  {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
};

constexpr symbols ascii_symbols{
  true,
  "->",
  "~",
  "^",
  "v",
  ".",
  {"_", ".", ":", "-", "=", "+", "*", "#"},
  {"", "", "", "", "#", "#", "#", "#"},
};

} // namespace pooltop
