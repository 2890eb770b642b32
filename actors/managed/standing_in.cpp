/// Workers of a managed pool that stand in for workers that are stuck, or wait
/// for their own pool.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <utility>

namespace libpool {

/// Replaces workers that hang, and dismisses replaced workers that have come
/// back.
void managed_pool::look_after_stuck() {
  for (auto* each : roster_.serving()) {
    if (each->hanging > 0)
      stand_in_for(*each);
    else if (!each->waits && is_no_more_replaced(*each))
      retire(*each, true, nullptr);
  }
}

/// Makes a worker that stands in for `worker`, if the options allow one more.
/// Tries that once until `worker` comes back. Returns whether it was made.
bool managed_pool::stand_in_for(managed_worker& worker) {
  if (worker.replaced != stand_in::none || replaced_ >= options_.stand_ins
      || !spawning_.has_factory() || roster_.size() >= options_.most_workers)
    return false;
  worker.replaced = stand_in::failed;
  try {
    admit(spawning_.make_named());
  } catch (...) {
    spawning_.could_not(thrown_text());
    return false;
  }
  spawning_.succeeded();
  worker.replaced = stand_in::made;
  ++replaced_;
  return true;
}

/// Forgets that another worker stands in for the worker. Returns whether one
/// does.
bool managed_pool::is_no_more_replaced(managed_worker& worker) noexcept {
  auto result = std::exchange(worker.replaced, stand_in::none)
                == stand_in::made;
  replaced_ -= result ? 1U : 0U;
  return result;
}

/// If all workers wait for a request that none of them will handle, makes
/// another worker for one of them, or fails the request. Returns whether there
/// was such a request.
bool managed_pool::breaks_cycle() {
  auto* task = dispatcher_.in_cycle();
  if (task == nullptr)
    return false;
  for (auto* each : roster_.serving())
    if (each->waits && stand_in_for(*each))
      return true;
  dispatcher_.failed(*task, errc::cycle, now());
  return true;
}

} // namespace libpool
