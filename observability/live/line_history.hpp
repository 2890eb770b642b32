/// The last ten seconds of a pipeline and of its stages.

#pragma once

#include "libpool/actors/pipeline_stats.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace libpool::live {

/// State of a pipeline at one moment.
struct line_sample {
  instant at{};
  pipeline_stats stats;
  /// State of the pool of each stage, without its workers; unset for a stage
  /// whose actor is not a pool.
  std::vector<std::optional<pool_stats>> pools;
};

/// What a stage did since the beginning of the last ten seconds. A figure is
/// unset if it is unknown.
struct stage_past {
  std::optional<double> completed_per_s;
  /// Mean time of an item in the stage, by Little's law: the mean number of
  /// items in the stage, divided by the rate at which items leave the stage.
  std::optional<duration> time;
  /// Waiting times in the pool of the stage.
  histogram waits;
  /// Number of workers; 1 if the actor of the stage is not a pool.
  std::size_t workers = 1;
  /// Number of workers that have tasks.
  std::optional<std::size_t> busy;
  /// Share of the time for which the slots of the pool had tasks, 0 to 1.
  std::optional<double> busy_share;
  /// Mean share of the credit that items took, 0 to 1.
  double held_share = 0;
};

/// Samples of a pipeline from the last ten seconds.
class line_history {
public:
  void add(line_sample sample);

  /// Returns the rates and times of each stage since the oldest sample.
  std::vector<stage_past> stages(const line_sample& now) const;

private:
  double mean_held(const line_sample& now, std::size_t stage) const;

  std::deque<line_sample> samples_;
};

/// Whether the stage holds as many items as it may, and has held nearly as many
/// on average for ten seconds.
bool is_full(const stage_stats& stage, const stage_past& past);

/// Returns the index of the last full stage, which holds up the stages before;
/// unset if no stage is full.
std::optional<std::size_t> last_full(const pipeline_stats& now,
                                     const std::vector<stage_past>& stages);

/// Returns the index of the stage that the other stages wait for: the last full
/// stage; if no stage is full, the stage with the busiest workers; if this is
/// unknown, the stage with the most items by its credit. Unset if the pipeline
/// is empty.
std::optional<std::size_t> slowest_of(const pipeline_stats& now,
                                      const std::vector<stage_past>& stages);

} // namespace libpool::live
