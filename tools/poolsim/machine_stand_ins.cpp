/// Workers that the pool makes, as managed pools do: as many as it wants, and
/// stand-ins for workers that hang.

#include "machine.hpp"

#include <algorithm>

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
  server.takes_leases = server.seats == 1 && server.window == 1;
}

libpool::headcount machine::count_workers() const {
  return {serving_.size() + starting_.size(), 0, pool_.workers().hanging()};
}

/// Makes workers that are missing, and takes idle workers that are too many out
/// of the pool.
void machine::keep_staffed() {
  if (sizing_)
    scale();
  if (!staffing_.compare(count_workers()))
    return;
  auto change = staffing_.decide(count_workers(), now());
  for (auto n = change.made; n > 0; --n)
    make_worker();
  for (auto n = change.retired;
       n > 0 && pool_.workers().busy() < serving_.size(); --n)
    retire_idle();
}

/// Makes a worker with the settings of one that hangs: of the one that joined
/// first, if no worker stands in yet, and so on. If none hangs, the settings
/// are those of the first worker.
void machine::make_worker() {
  auto skipped = staffing_.stand_ins();
  auto i = std::find_if(serving_.begin(), serving_.end(), [&](auto* each) {
    return each->hanging > 0 && skipped-- == 0;
  });
  auto like = i != serving_.end() ? (*i)->like : 0;
  auto& made = stand_ins_.emplace_back();
  prepare(made, servers_.size() + stand_ins_.size() - 1, like);
  begin(made);
  staffing_.compare(count_workers());
}

/// Takes an idle worker out of the pool: one that has hung if there is one, and
/// the newest of these. Does nothing if all are busy.
void machine::retire_idle() {
  server* result = nullptr;
  for (auto* each : serving_)
    if (each->in_flight == 0
        && (result == nullptr || each->overran || !result->overran))
      result = each;
  if (result == nullptr)
    return;
  take_out(*result);
  pool_.retired(*result, now());
  result->is_taken_out = true;
  gathers_.left(*result, now_);
}

} // namespace poolsim
