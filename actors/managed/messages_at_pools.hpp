#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_messages.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"

#include <caf/actor.hpp>

#include <map>
#include <utility>

namespace libpool {

/// Messages that inner pools of a managed pool have. Each pool is told of all
/// of its messages together; pools are told in the order of their numbers.
class messages_at_pools {
public:
  bool empty() const noexcept {
    return by_worker_.empty();
  }

  /// Adds the message of the task, if the worker is a pool that has it.
  void add(const managed_task& task, const managed_worker& worker) {
    if (worker.receiver.pool == nullptr || task.carrier == nullptr)
      return;
    auto& [pool, messages] = by_worker_[worker.number];
    pool = worker.handle;
    messages.add(*task.carrier);
  }

  /// Calls `f` with each pool and its messages. The pool may have ended.
  template <class F>
  void tell(F f) const {
    for (const auto& [number, each] : by_worker_)
      f(*pool_behind<inner_pool>(each.first), each.second);
  }

private:
  std::map<worker_number, std::pair<caf::actor, inner_messages>> by_worker_;
};

} // namespace libpool
