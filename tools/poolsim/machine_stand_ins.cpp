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
    else if (each->stand_in != nullptr && each->in_mailbox == 0)
      retire(*each);
}

/// Makes a worker that stands in for the worker, if one more is permitted.
void machine::stand_in_for(server& stuck) {
  if (stuck.stand_in != nullptr || replaced_ >= scenario_.stand_ins)
    return;
  auto& made = stand_ins_.emplace_back();
  prepare(made, servers_.size() + stand_ins_.size() - 1, stuck.like);
  made.made_for = &stuck;
  stuck.stand_in = &made;
  ++replaced_;
  join(made);
}

/// Takes the worker, which has no tasks, out of the pool. Its stand-in stays,
/// and stands in for the worker that the replaced worker has stood in for.
void machine::retire(server& replaced) {
  auto* by = forget_stand_in(replaced);
  auto* first = replaced.made_for;
  if (first != nullptr && first->stand_in == &replaced)
    first->stand_in = by;
  by->made_for = first;
  take_out(replaced);
  pool_.retired(replaced, now());
  gathers_.left(replaced, true);
}

/// From now on, no worker stands in for the worker. Returns the worker that
/// did; nullptr if there was none.
server* machine::forget_stand_in(server& replaced) {
  auto* result = std::exchange(replaced.stand_in, nullptr);
  replaced_ -= result != nullptr ? 1U : 0U;
  return result;
}

} // namespace poolsim
