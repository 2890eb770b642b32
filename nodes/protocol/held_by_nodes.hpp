#pragma once

#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// The nodes of a front that may have begun tasks of the durable queue, and the
/// stored results of which these nodes must be told. Tasks are known by the
/// numbers of their takings, see `submission_claims`.
///
/// Cost:    O(log tasks + log nodes).
/// Threads: one at a time.
class held_by_nodes {
public:
  /// Notes that the node of a new session has begun tasks, and that the results
  /// of some of them are lost there. Another node may have begun these, too.
  void joined(worker_number session, const std::vector<std::uint64_t>& tasks,
              const std::vector<std::uint64_t>& lost) {
    for (auto each : tasks)
      sent(each, session);
    for (auto each : lost)
      sessions_.try_emplace(each, session);
  }

  /// Notes that a task is sent to the node of the session.
  void sent(std::uint64_t task, worker_number session) {
    sessions_[task] = session;
  }

  /// Notes that the node of the session gets no more tasks.
  ///
  /// Cost: O(tasks).
  void left(worker_number session) {
    settled_.erase(session);
    for (auto i = sessions_.begin(); i != sessions_.end();)
      i = i->second == session ? sessions_.erase(i) : std::next(i);
  }

  /// Notes that the result of a task is stored.
  void settled(std::uint64_t task) {
    auto found = sessions_.find(task);
    if (found == sessions_.end())
      return;
    settled_[found->second].push_back(task);
    sessions_.erase(found);
  }

  /// Returns the session of the node that may have begun the task; unset if
  /// there is none.
  std::optional<worker_number> holder_of(std::uint64_t task) const {
    auto found = sessions_.find(task);
    return found == sessions_.end() ? std::nullopt
                                    : std::optional{found->second};
  }

  /// Returns the tasks whose results the node of the session need not keep, and
  /// removes them from the list.
  std::vector<std::uint64_t> take_settled(worker_number session) {
    auto found = settled_.find(session);
    if (found == settled_.end())
      return {};
    auto result = std::move(found->second);
    settled_.erase(found);
    return result;
  }

private:
  std::map<std::uint64_t, worker_number> sessions_; // by task
  std::map<worker_number, std::vector<std::uint64_t>> settled_;
};

} // namespace libpool
