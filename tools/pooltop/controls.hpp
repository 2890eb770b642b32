#pragma once

#include "model.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace pooltop {

enum class table_kind : std::size_t { workers, flows, nodes };

constexpr std::size_t table_kinds = 3;

/// What the keys of the keyboard do.
enum class command {
  none,
  redraw, ///< since the screen has another size
  next_pool,
  previous_pool,
  show_workers,
  show_flows,
  show_nodes,
  sort,
  line_up,
  line_down,
  page_up,
  page_down,
  first_line,
  last_line,
  pause,
  help,
  quit,
};

/// What the user has chosen.
struct controls {
  std::string pool; ///< its name; the first one is shown if there is none such
  table_kind shown = table_kind::workers;
  /// The column that each table is sorted by, counted from 0; none: in the
  /// server's order.
  std::array<std::size_t, table_kinds> sorted_by{};
  std::size_t first_row = 0;
  bool is_paused = false;
  bool has_help = false;
  bool has_quit = false;
};

/// How many rows the shown table has, and how many of them are on the screen.
struct extent {
  std::size_t rows = 0;
  std::size_t page = 0;
};

/// The pool that is to be shown; none if there are no pools.
const pool* chosen_pool(const snapshot& from, const std::string& name);

void obey(command what, const snapshot& from, const extent& table,
          controls& to);

/// Leaves no empty rows below the last one.
void clamp(const extent& table, controls& to);

} // namespace pooltop
