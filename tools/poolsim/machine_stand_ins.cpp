/// Workers that stand in for workers that hang, as in managed pools.

#include "machine.hpp"

#include <utility>

namespace poolsim {

void machine::prepare(server& server, std::size_t id, std::size_t like) {
  const auto& settings = scenario_.workers[like];
  server.id = id;
  server.like = like;
  server.seats = settings.seats;
  server.free = settings.seats;
  server.number = libpool::worker_number{id};
  server.alone.only = {server.number};
  server.weight = settings.weight;
  server.window = scenario_.window.value_or(settings.seats);
}

/// Replaces workers that hang, and takes replaced workers that have ended all
/// their tasks out of the pool.
void machine::look_after_stuck() {
  if (replaced_ + pool_.overdue() == 0)
    return;
  for (auto* each : serving())
    if (each->hanging > 0)
      stand_in_for(*each);
    else if (each->is_replaced && each->in_mailbox == 0)
      retire(*each);
}

/// Makes a worker that stands in for the worker, if one more is permitted.
void machine::stand_in_for(server& stuck) {
  if (stuck.is_replaced || replaced_ >= scenario_.stand_ins)
    return;
  auto& made = stand_ins_.emplace_back();
  prepare(made, servers_.size() + stand_ins_.size() - 1, stuck.like);
  stuck.is_replaced = true;
  ++replaced_;
  join(made);
}

/// Takes the worker, which has no tasks, out of the pool. Its stand-in stays.
void machine::retire(server& replaced) {
  forget_stand_in(replaced);
  take_out(replaced);
  pool_.retired(replaced, now());
  gathers_.left(replaced, true);
}

/// From now on, no worker stands in for the worker.
void machine::forget_stand_in(server& worker) {
  replaced_ -= std::exchange(worker.is_replaced, false) ? 1U : 0U;
}

} // namespace poolsim
