/// Workers of a managed pool that stand in for workers that are stuck, or wait
/// for their own pool.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <stdexcept>
#include <utility>

namespace libpool {

/// Replaces workers that hang, and dismisses replaced workers that have ended
/// all their tasks, unless their stand-ins have left.
void managed_pool::look_after_stuck() {
  for (auto* each : roster_.serving()) {
    if (each->hanging > 0) {
      stand_in_for(*each);
    } else if (!each->waits && each->in_mailbox == 0) {
      auto* by = roster_.find(each->stand_in_number);
      if (!is_no_more_replaced(*each) || by == nullptr || !roster_.serves(*by))
        continue;
      if (auto* of = replaced_by(*each)) // a stand-in was replaced itself
        of->stand_in_number = by->number;
      ++statistics_.departed().removed;
      retire(*each, true, nullptr);
    }
  }
}

/// Makes a worker that stands in for `worker`, if the options allow one more.
/// Tries that once until `worker` comes back. Returns whether it was made.
bool managed_pool::stand_in_for(managed_worker& worker) {
  if (worker.replaced != stand_in::none || replaced_ >= options_.stand_ins
      || !spawning_.has_factory() || roster_.size() >= options_.most_workers)
    return false;
  auto before = roster_.size();
  try {
    admit(spawning_.make_named());
    if (roster_.size() == before)
      throw std::runtime_error{"the factory returned a worker that has ended"};
  } catch (...) {
    spawning_.could_not(thrown_text());
    worker.replaced = stand_in::failed;
    ++lack_stand_in_;
    return false;
  }
  spawning_.succeeded();
  worker.replaced = stand_in::made;
  worker.stand_in_number = roster_.serving().back()->number;
  ++replaced_;
  return true;
}

/// Forgets that another worker stands in for the worker. Returns whether one
/// did.
bool managed_pool::is_no_more_replaced(managed_worker& worker) noexcept {
  auto was = std::exchange(worker.replaced, stand_in::none);
  replaced_ -= was == stand_in::made ? 1U : 0U;
  lack_stand_in_ -= was == stand_in::failed ? 1U : 0U;
  return was == stand_in::made;
}

/// Returns the worker for which `worker` stands in; nullptr if there is none.
managed_worker* managed_pool::replaced_by(const managed_worker& worker) const {
  if (replaced_ > 0)
    for (auto* each : roster_.serving())
      if (each->replaced == stand_in::made
          && each->stand_in_number == worker.number)
        return each;
  return nullptr;
}

/// Notes the end of the worker if it has stood in for another one, which gets
/// no other stand-in. Returns whether it has.
bool managed_pool::has_lost_stand_in(const managed_worker& worker) {
  auto* of = replaced_by(worker);
  if (of == nullptr)
    return false;
  is_no_more_replaced(*of);
  of->replaced = stand_in::failed;
  ++lack_stand_in_;
  return true;
}

/// If all workers wait for a request that none of them will handle, and no
/// worker is about to be replaced, makes another worker for one of them, or
/// fails the request. Returns whether there was such a request.
bool managed_pool::breaks_cycle() {
  if (spawning_.missing() > 0 || roster_.has_presumed_dead())
    return false;
  auto* task = dispatcher_.in_cycle();
  if (task == nullptr)
    return false;
  auto helps = dispatcher_.could_go_to_new_worker(*task);
  for (auto* each : roster_.serving())
    if (helps && each->waits && stand_in_for(*each))
      return true;
  dispatcher_.failed(*task, errc::cycle, now());
  return true;
}

} // namespace libpool
