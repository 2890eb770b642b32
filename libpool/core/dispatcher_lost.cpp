/// How a dispatcher fails tasks that no worker will ever run, because all
/// workers that may run them have left, or because no worker will join.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>

namespace libpool {

/// Whether no worker will ever run tasks of the restriction: each worker that
/// it names has left or is a pool without workers. Always false if the
/// restriction is loose or open.
bool dispatcher::is_lost(const restriction& where) const {
  auto serves = [this](worker_number number) {
    auto i = members_.find(number, joined_sooner{});
    return i != members_.end() && i->is == worker::condition::serving
           && !i->has_nobody;
  };
  return !where.loose && !where.open && !where.only.empty()
         && where.only.back() < next_number_
         && std::none_of(where.only.begin(), where.only.end(), serves);
}

/// Fails held tasks whose workers have all departed. If no worker is offered,
/// also fails such tasks that the order still has.
void dispatcher::fail_lost(instant now) {
  for (auto number : aside_.take_departed())
    for (auto* where : aside_.awaiting(number))
      if (is_lost(*where))
        fail_all(*where, now);
  aside_.free_unplaced(now); // some of these tasks may be lost, too
  if (workers_.offered > 0)
    return;
  while (auto* task = policy_.order->choose(now))
    set_aside(*task, may_run_anywhere(*task), now);
}

void dispatcher::restricted(task& task, restriction& where) {
  if (task.is != task::condition::waiting || task.held)
    return;
  task.own_notes().where = &where;
  aside_.accepted(where);
  if (is_lost(where))
    aside_.departed(where.only.front());
}

void dispatcher::failed(task& task, errc why, instant now) {
  if (task.is == task::condition::waiting
      || task.is == task::condition::assigned)
    drop(task, outcome::failed, why, now);
}

void dispatcher::fail_all(restriction& where, instant now) {
  while (!where.held.empty())
    drop(where.held.begin()->second.front(), outcome::failed, errc::worker_down,
         now);
}

void dispatcher::deserted(errc why, instant now) {
  while (!delayed_.empty())
    drop(delayed_.top(), outcome::failed, why, now);
  gates_.free_all(now);
  aside_.free_all(now);
  while (auto* task = policy_.order->choose(now))
    drop(*task, outcome::failed, why, now);
}

void dispatcher::abandoned(errc why, instant now) {
  closed(why);
  if (abandoned_)
    return;
  abandoned_ = why;
  deserted(why, now);
}

} // namespace libpool
