#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <tuple>

namespace libpool {

struct restriction;

/// What tasks have in common that may share a run.
struct joint_key {
  /// `task_notes::run_key`.
  std::string name;
  /// The workers that may run the tasks; nullptr: all workers.
  const restriction* where = nullptr;
  /// Hash of the flow of the tasks, if a batch handles them together; otherwise
  /// 0.
  std::uint64_t flow = 0;
  /// Priority of the tasks of a batch; otherwise 0.
  std::int64_t priority = 0;
  /// Home of the tasks of a batch: the worker that has their data; none: no
  /// such worker, or no batch.
  std::optional<worker_number> home;

  /// Whether tasks with these keys may share a run.
  bool operator==(const joint_key& other) const noexcept {
    auto members = [](const joint_key& key) {
      return std::tie(key.where, key.flow, key.priority, key.home, key.name);
    };
    return members(*this) == members(other);
  }
};

/// Several tasks that one run of a handler settles. The leader goes through the
/// pool as any task; its joiners wait for the end of its run, in no queue and
/// no mailbox.
struct joint_run {
  /// Task that goes to a worker.
  task* leader = nullptr;
  /// The other tasks, in the order in which they have joined.
  task_list joiners;
  /// Sum of the sizes of all these tasks.
  std::size_t bytes = 0;
  /// Whether the leader waits for others to join, and so is not in the order.
  bool is_held = false;
  /// Time before which the leader is not in the order, because it waits for
  /// others to join, or for its next attempt; used while it waits so.
  instant goes_at = never;
  /// Whether the run waits for the end of an earlier run of its key, and so its
  /// leader is not in the order.
  bool waits_for_turn = false;
  /// Whether further tasks may join.
  bool is_open = false;
  /// What the tasks have in common.
  joint_key key;
  /// Place of the run among the runs.
  std::list<joint_run>::iterator place;

  /// Returns the number of tasks.
  std::size_t size() const noexcept {
    return joiners.size() + 1;
  }
};

/// Returns the run that the task shares with other tasks, or may share; nullptr
/// if there is none.
inline joint_run* run_of(const task& task) noexcept {
  return task.notes().run;
}

/// Whether the task waits for the end of the run of another task.
inline bool is_joiner(const task& task) noexcept {
  const auto* run = run_of(task);
  return run != nullptr && run->leader != &task;
}

/// Whether other tasks wait for the end of the run of the task.
inline bool has_joiners(const task& task) noexcept {
  const auto* run = run_of(task);
  return run != nullptr && run->leader == &task && !run->joiners.empty();
}

/// Returns the last deadline of the task and of the joiners of its run.
inline instant last_deadline(const task& task) noexcept {
  auto result = task.deadline;
  if (const auto* run = run_of(task))
    for (const auto& each : run->joiners)
      result = std::max(result, each.deadline);
  return result;
}

} // namespace libpool
