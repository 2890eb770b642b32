#pragma once

#include <array>
#include <string_view>

namespace pooltop {

/// Characters for drawing: Unicode, or ASCII for terminals without Unicode.
struct symbols {
  bool is_ascii = false;
  std::string_view arrow;
  std::string_view ellipsis;
  std::string_view up;
  std::string_view down;
  std::string_view track; ///< the empty part of a bar
  /// From the lowest level to the highest.
  std::array<std::string_view, 8> levels;
  /// From an eighth of a cell to a full cell.
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
