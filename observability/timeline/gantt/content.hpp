#pragma once

#include "libpool/observability/timeline/gantt/colours.hpp"
#include "libpool/observability/timeline/lanes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool::detail {

/// Content of a picture: the part of a timeline that is drawn, without
/// positions in the picture.
struct gantt_content {
  gantt_content(const timeline& timeline, const time_span& part);

  gantt_content(const gantt_content&) = delete;
  gantt_content& operator=(const gantt_content&) = delete;

  /// Returns the number of rows of a lane that are drawn. The last drawn row
  /// also has the runs of the rows that are not drawn.
  static std::uint32_t rows_of(const lane& lane) noexcept;

  /// Whether the chart has too many rows for details in each.
  bool is_dense() const noexcept;

  bool is_completed(const timeline::record& record) const noexcept;

  /// Whether all tasks that were started are completed.
  bool all_completed() const noexcept;

  /// Whether the task was open during the time that is drawn.
  bool is_shown(const timeline::record& record) const noexcept;

  /// Returns the part of the task's run that is drawn.
  time_span run_of(const timeline::record& record) const noexcept;
  /// Returns the part of the task's waiting time that is drawn.
  time_span wait_of(const timeline::record& record) const noexcept;

  /// Returns the number of tasks that are shown. A task with several runs
  /// counts once.
  std::size_t tasks() const;

  /// Returns the duration as a fraction of the period that is drawn.
  double share_of(duration part) const noexcept;
  /// Returns the time since the left edge as a fraction of the period that is
  /// drawn.
  double place_of(instant when) const noexcept;

  const timeline& recorded;
  /// Period of time that is drawn.
  const time_span only;
  /// Length of the period that is drawn; above 0.
  duration whole;
  runs started;
  /// All lanes, of which the first `drawn_lanes` are drawn.
  std::vector<lane> lanes;
  std::size_t drawn_lanes = 0;
  /// Number of drawn rows of all drawn lanes.
  std::size_t rows = 0;
  /// Tasks that ended without a start, in the order of their ends.
  std::vector<const timeline::record*> unstarted;
  flow_colours colours;

private:
  time_span within(instant time, instant target) const noexcept;
  void choose_lanes();
  void find_unstarted();
};

} // namespace libpool::detail
