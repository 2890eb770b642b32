#pragma once

#include "model.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace pooltop {

enum class table_kind : std::size_t { workers, flows, nodes };

constexpr std::size_t table_kinds = 3;

/// Commands of the keyboard.
enum class command {
  none,
  redraw, ///< the size of the screen has changed
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
  freeze,
  help,
  quit,
  // With the control token:
  pause_pool, ///< or resumes it
  drain_pool,
  add_worker,
  remove_worker,
  cancel_flow,
  cancel_all,
  yes,
};

/// Choices of the user.
struct controls {
  std::string pool; ///< name; if unknown, the first pool is shown
  table_kind shown = table_kind::workers;
  /// Index of the column by which each table is sorted.
  std::array<std::size_t, table_kinds> sorted_by{};
  std::size_t first_row = 0;
  bool is_frozen = false;
  bool has_help = false;
  bool has_quit = false;
  /// Command that waits for the user's consent; none: no question is open.
  command asked = command::none;
  /// Index of the flow that the question is about.
  std::size_t asked_flow = 0;
  /// Target of a request that is to be sent to the server; empty: none.
  std::string order;
  /// What the server said about the last order.
  std::string outcome;
};

/// Number of rows of the shown table, and number of rows that the screen holds.
struct extent {
  std::size_t rows = 0;
  std::size_t page = 0;
};

/// Returns the pool to show; nullptr without pools.
const pool* chosen_pool(const snapshot& from, const std::string& name);

} // namespace pooltop
