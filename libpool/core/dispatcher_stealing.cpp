/// How idle workers take over tasks that are assigned to other workers.

#include "libpool/core/dispatcher.hpp"

#include <cassert>

namespace libpool {

/// Lets idle workers take over tasks that are worth moving. Returns whether a
/// task was moved.
bool dispatcher::steal(instant now) {
  auto result = false;
  while (workers_.idle() > 0) {
    auto next = policy_.stealing->choose(now);
    if (!next)
      break;
    auto& moved = *next->moved;
    auto& thief = *next->thief;
    assert(thief.idle);
    assert(may_run_anywhere(moved)
           || permits(*moved.notes().where, thief.number));
    auto& victim = *moved.on;
    unassign(moved, now);
    tasks_changed(victim, now);
    ++moved.own_notes().steals;
    ++thief.record.stolen;
    ++record_.all.stolen;
    assign(moved, thief, now);
    assert(thief.in_mailbox < thief.window); // it was idle
    send_next(thief, now);
    result = true;
  }
  return result;
}

} // namespace libpool
