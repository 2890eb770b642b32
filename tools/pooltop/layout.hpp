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

/// All that a screen shows.
struct view {
  std::string address; ///< of the server, fit for a terminal
  snapshot told;       ///< of late; empty if nothing was told yet
  history known;
  controls chosen;
  std::string trouble; ///< with the server, as a sentence; or none
  double now_s = 0;    ///< of the clock of the history
  double told_s = 0;   ///< when it was told, on that clock
  bool was_told = false;
  symbols with = unicode_symbols;
};

/// Lines for a screen, from the top, and what of the shown table is among them.
struct picture {
  std::vector<line> lines;
  extent table;
};

/// At most `height` lines of at most `width` columns. Where these do not
/// suffice, what matters least is left out.
picture screen_of(const view& what, std::size_t width, std::size_t height);

/// The chosen pool with all rows of its tables, without keys.
std::vector<line> report_of(const view& what, std::size_t width);

} // namespace pooltop
