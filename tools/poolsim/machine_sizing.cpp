/// The number of workers, if it follows the load.

#include "machine.hpp"

#include <algorithm>

namespace poolsim {

/// Returns the load as a managed pool reports it.
libpool::pool_load machine::load() const {
  const auto& books = pool_.books();
  const auto& record = pool_.record();
  libpool::pool_load result;
  result.arrived = books.accepted + books.refused - record.joined;
  result.ended = record.all.completed + record.all.failed;
  result.busy_time = record.all.busy;
  result.waits = &record.waits;
  auto held = pool_.held() + pool_.retries().delayed()
              + pool_.gates().held_back(now());
  result.waiting = pool_.unsent_runs();
  result.waiting -= std::min(result.waiting, std::uint64_t{held});
  if (const auto* next = pool_.next_waiting(now()))
    result.oldest = next->accepted;
  result.workers = serving_.size();
  for (const auto* each : serving_)
    result.slots += each->seats;
  result.busy = pool_.workers().busy();
  result.has_room = pool_.workers().with_room() > 0;
  result.is_paused = pool_.workers().is_suspended();
  return result;
}

/// Chooses the number of wanted workers.
void machine::scale() {
  auto wanted = sizing_->decide(load(), staffing_.wanted(), now());
  if (wanted != staffing_.wanted())
    staffing_.resized(wanted);
}

/// Returns the time at which the number of workers may change, unless nothing
/// else is left to happen.
duration machine::next_sizing() {
  if (!sizing_)
    return duration::max();
  auto is_over = !scenario_.until && pool_.books().open() == 0 && !next_event();
  return is_over ? duration::max()
                 : sizing_->next(load(), staffing_.wanted()).time_since_epoch();
}

/// Lets the worker join when it has started.
void machine::begin(server& made) {
  if (!sizing_ || scenario_.autoscale->startup == duration{0})
    return join(made);
  starting_.emplace_back(now_ + scenario_.autoscale->startup, &made);
}

void machine::join_started() {
  while (!starting_.empty() && starting_.front().first <= now_) {
    join(*starting_.front().second);
    starting_.pop_front();
    sizing_->started();
    carry_out();
  }
}

/// Records the number of workers, for the time `lasted`, in which nothing
/// happens.
void machine::meter_size(duration lasted) {
  if (!sizing_ || lasted <= duration{0})
    return;
  auto size = serving_.size() + starting_.size();
  if (sizes_.empty() || sizes_.back().second != size)
    sizes_.emplace_back(now_, size);
  size_.add(size, lasted);
  sizing_->were_busy(pool_.workers().busy(), now() + lasted);
}

void machine::close_size(result& result) {
  if (!sizing_)
    return;
  constexpr double hour = 3.6e12;
  auto all = size_.time();
  auto mean = size_.mean(all);
  result.size = {{mean, size_.most()},
                 mean * static_cast<double>(all.count()) / hour,
                 stand_ins_.size(),
                 std::move(sizes_)};
}

} // namespace poolsim
