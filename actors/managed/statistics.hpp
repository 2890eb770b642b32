#pragma once

#include "libpool/actors/caf/port/pool_metrics.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/recorder.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// Statistics of a managed pool: records runs if the user wants that, and
/// collects figures from the parts of the pool.
///
/// Threads: the pool's.
class statistics {
public:
  /// Number of tasks, of those that were sent first, that the summary looks at.
  static constexpr std::size_t most_looked_at = 64;

  /// The parts of the pool that have figures.
  struct sources {
    const managed_setup& options;
    const libpool::staff& staff;
    const libpool::answers& answers;
    libpool::intake& intake;
    const libpool::gathers& gathers;
    libpool::dispatcher& dispatcher;
    pool_clock& clock;
  };

  statistics(caf::actor_system& system, const sources& origins);
  statistics(const statistics&) = delete;
  statistics& operator=(const statistics&) = delete;

  /// Takes the recorder from the dispatcher, which still exists.
  ~statistics() {
    of_.dispatcher.record(nullptr);
  }

  /// Returns the stats of the pool and of its workers.
  pool_stats all() const;

  /// Returns the stats without members.
  pool_stats summary() const;

  /// Starts to record runs, or stops, and forgets what was recorded.
  void record(const recorder_limits& within);

  bool records() const noexcept {
    return recorder_.has_value();
  }

  /// Returns the runs since then, and tasks that wait or run.
  recording recorded(instant since);

  /// Notes the durable queue from which the pool gets messages.
  void serves(std::weak_ptr<failed_messages> queue) {
    queue_ = std::move(queue);
  }

  /// Returns the failed messages of this queue; nullptr if there is none.
  std::shared_ptr<failed_messages> queue() const {
    return queue_.lock();
  }

  /// Updates the metrics of the actor system, if it has any.
  void show_metrics() {
    if (metrics_ != nullptr)
      update_metrics();
  }

private:
  void add_workers(pool_stats& result) const;
  void add_counts(pool_stats& result) const;
  instant first_start() const;
  instant oldest_waiting() const;
  ledger all_tasks() const;
  std::vector<flow_stats> flows() const;
  std::vector<limit_stats> limits(const pool_stats& known) const;
  limit_stats limits_of_pool(const pool_stats& known) const;
  void update_metrics();

  const sources of_;
  std::optional<recorder> recorder_;
  std::weak_ptr<failed_messages> queue_;
  const std::unique_ptr<pool_metrics> metrics_;
};

} // namespace libpool
