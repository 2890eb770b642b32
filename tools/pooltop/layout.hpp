#pragma once

#include "controls.hpp"
#include "history.hpp"
#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pooltop {

/// All data that a screen shows.
struct view {
  std::string address; ///< of the server, escaped for a terminal
  snapshot told;       ///< last snapshot; empty before the first one
  history known;
  controls chosen;
  /// problem with the server, as a sentence; empty if none
  std::string trouble;
  double now_s = 0;  ///< time of the history's clock
  double told_s = 0; ///< time of the snapshot, by that clock
  bool was_told = false;
  symbols with = unicode_symbols;
};

/// Lines for a screen, from the top, with the extent of the shown table.
struct picture {
  std::vector<line> lines;
  extent table;
};

/// Returns at most `height` lines of at most `width` columns. Less important
/// parts are left out if there is not enough room.
picture screen_of(const view& what, std::size_t width, std::size_t height);

/// Returns the chosen pool with all rows of its tables, without keys.
std::vector<line> report_of(const view& what, std::size_t width);

} // namespace pooltop
