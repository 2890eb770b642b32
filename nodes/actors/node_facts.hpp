#pragma once

#include "libpool/actors/this_task.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace libpool {

/// What the pool of a node knows of tasks that the node has begun, by the
/// number of the request to the local pool.
///
/// Threads: any.
class node_facts {
public:
  using facts_ptr = std::shared_ptr<const task_facts>;

  void add(std::uint64_t request, facts_ptr facts) {
    std::lock_guard<std::mutex> guard{mutex_};
    facts_.emplace(request, std::move(facts));
  }

  void remove(std::uint64_t request) {
    std::lock_guard<std::mutex> guard{mutex_};
    facts_.erase(request);
  }

  /// Returns the facts of the request; nullptr if none are known.
  facts_ptr of(std::uint64_t request) const {
    std::lock_guard<std::mutex> guard{mutex_};
    auto found = facts_.find(request);
    return found != facts_.end() ? found->second : nullptr;
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, facts_ptr> facts_;
};

} // namespace libpool
