#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/batches.hpp"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// The tasks of the durable queue that a node has begun, until their results
/// are stored. A later front can send such a task again. Then the node answers
/// with the running handler, or with the result that it has kept, and does not
/// begin the task again. A task that has crashed begins again if it is sent
/// with its content. `Result` is the result of a handler.
///
/// Tasks are known by the numbers of their takings, see `submission_claims`.
///
/// Cost:    O(log tasks).
/// Threads: one at a time.
template <class Result>
class held_tasks {
public:
  /// A task that has begun.
  struct held_task {
    /// Number of the handler, chosen by the caller.
    std::uint64_t handler = 0;
    /// Number under which the task was sent last.
    task_number task{};
    /// Result of the handler; unset while the handler runs.
    std::optional<Result> result;
    /// Time at which the handler ended.
    instant ended{};
    /// Whether the handler has crashed, or its result was dropped.
    bool is_lost = false;
  };

  /// Notes that the handler of a task begins.
  void began(std::uint64_t taking, std::uint64_t handler, task_number task) {
    tasks_[taking] = {handler, task, std::nullopt, {}, false};
  }

  /// Notes the end of a handler.
  void ended(std::uint64_t taking, ending ending, const Result& result,
             instant now) {
    auto found = tasks_.find(taking);
    if (found == tasks_.end())
      return;
    found->second.result = result;
    found->second.ended = now;
    found->second.is_lost = ending == ending::crashed;
  }

  /// Notes that the handler of a task has not begun, and will not begin here.
  void never_began(std::uint64_t taking) {
    tasks_.erase(taking);
  }

  /// Notes that the results of the tasks are stored.
  void settled(const std::vector<std::uint64_t>& takings) {
    for (auto each : takings)
      tasks_.erase(each);
  }

  /// Drops the results of handlers that ended more than `longest` ago, as if
  /// the handlers had crashed with the result `lost`, and drops the tasks after
  /// 720 times as long.
  ///
  /// Cost: O(tasks).
  void drop_old(duration longest, const Result& lost, instant now) {
    for (auto i = tasks_.begin(); i != tasks_.end();) {
      auto& each = i->second;
      auto age = each.result ? now - each.ended : duration{0};
      if (age > longest && !std::exchange(each.is_lost, true))
        each.result = lost;
      i = age > 720 * longest ? tasks_.erase(i) : std::next(i);
    }
  }

  /// Takes a task that waits at `connection` as begun, if the node has begun it
  /// under another number. `has_content`: the task can begin. Returns the task;
  /// nullptr if the task must wait. If the task has a result, the caller must
  /// report it to `connection`.
  const held_task* adopt(agent_connection& connection, task_number task,
                         std::uint64_t taking, bool has_content, instant now) {
    auto found = tasks_.find(taking);
    if (found == tasks_.end() || (found->second.is_lost && has_content))
      return nullptr;
    auto& held = found->second;
    auto older = held.result ? std::nullopt : std::optional{held.task};
    if (!connection.adopt(task, older, now))
      return nullptr;
    held.task = task;
    return &held;
  }

  /// Returns the numbers of the tasks whose results are lost, or of the others.
  std::vector<std::uint64_t> takings(bool are_lost) const {
    std::vector<std::uint64_t> result;
    for (const auto& each : tasks_)
      if (each.second.is_lost == are_lost)
        result.push_back(each.first);
    return result;
  }

  /// Returns the tasks by their numbers.
  const std::map<std::uint64_t, held_task>& tasks() const noexcept {
    return tasks_;
  }

private:
  std::map<std::uint64_t, held_task> tasks_;
};

} // namespace libpool
