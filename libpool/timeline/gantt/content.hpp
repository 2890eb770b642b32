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

  /// Number of rows of a lane that are drawn. The last one also has the runs of
  /// rows that are not drawn.
  static std::uint32_t rows_of(const lane& of) noexcept;

  /// Whether the chart has too many rows for details in each.
  bool is_dense() const noexcept;

  bool is_completed(const timeline::record& of) const noexcept;

  /// Whether all tasks that were started are completed.
  bool all_completed() const noexcept;

  /// Whether the task was open during the time that is drawn.
  bool is_shown(const timeline::record& of) const noexcept;

  /// The part of the task's run, and of its waiting time, that is drawn.
  time_span run_of(const timeline::record& of) const noexcept;
  time_span wait_of(const timeline::record& of) const noexcept;

  /// Number of tasks that are shown. A task with several runs counts once.
  std::size_t tasks() const;

  /// A duration and a time, as a fraction of the time that is drawn.
  double share_of(duration part) const noexcept;
  double place_of(instant when) const noexcept;

  const timeline& recorded;
  /// The time that is drawn.
  const time_span only;
  /// Length of the time that is drawn; above zero.
  duration whole;
  runs started;
  /// All lanes. The first `drawn_lanes` of them are drawn.
  std::vector<lane> lanes;
  std::size_t drawn_lanes = 0;
  /// Number of rows of all lanes that are drawn.
  std::size_t rows = 0;
  /// Tasks that ended without a start, in the order of their ends.
  std::vector<const timeline::record*> unstarted;
  flow_colours colours;

private:
  time_span within(instant from, instant to) const noexcept;
  void choose_lanes();
  void find_unstarted();
};

} // namespace libpool::detail
