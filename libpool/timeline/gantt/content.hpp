#pragma once

#include "libpool/timeline/gantt/colours.hpp"
#include "libpool/timeline/lanes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool::detail {

/// The part of a timeline that is drawn, without places in the picture.
struct gantt_content {
  gantt_content(const timeline& of, const time_span& part);

  gantt_content(const gantt_content&) = delete;
  gantt_content& operator=(const gantt_content&) = delete;

  /// The rows of a lane. The last row of a lane with too many takes the rest.
  static std::uint32_t rows_of(const lane& of) noexcept;

  /// Whether there are so many rows that little is seen in each.
  bool is_dense() const noexcept;

  bool is_completed(const timeline::record& of) const noexcept;

  /// Whether all are that were started.
  bool all_completed() const noexcept;

  /// Whether the task was open in the time that is drawn.
  bool is_shown(const timeline::record& of) const noexcept;

  /// The part of the run, and of the wait before, that is drawn.
  time_span run_of(const timeline::record& of) const noexcept;
  time_span wait_of(const timeline::record& of) const noexcept;

  /// Tasks that are shown; a task that ran several times is one.
  std::size_t tasks() const;

  /// In parts of the whole time.
  double share_of(duration part) const noexcept;
  double place_of(instant when) const noexcept;

  const timeline& recorded;
  /// The time that is drawn.
  const time_span only;
  /// More than nothing.
  duration whole;
  runs started;
  /// All lanes, of which the first ones find room.
  std::vector<lane> lanes;
  std::size_t drawn_lanes = 0;
  /// The rows of all lanes that are drawn.
  std::size_t rows = 0;
  /// The tasks that ended without being started, by when they ended.
  std::vector<const timeline::record*> unstarted;
  flow_colours colours;

private:
  time_span within(instant from, instant to) const noexcept;
  void choose_lanes();
  void find_unstarted();
};

} // namespace libpool::detail
