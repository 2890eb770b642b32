/// How a dispatcher fills its workers where tasks take seats.
///
/// A task takes as many of the pool's seats as it is wide, though no more than
/// there are; and on its worker, though no more than that has.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

/// None if the worker has fewer seats by now than its tasks take.
std::size_t free_seats_of(const worker& who) noexcept {
  return who.seats - std::min(who.seats, who.seats_taken);
}

} // namespace

/// Whether the task can start there at once, if that is what it takes.
bool dispatcher::has_room(const worker& who, const task& what) const noexcept {
  return !has_flows_ || std::min(what.width, who.seats) <= free_seats_of(who);
}

/// Those with nothing to do first: there everything starts at once.
bool dispatcher::has_more_room::operator()(const worker& x,
                                           const worker& y) const noexcept {
  auto x_idles = x.seats_taken == 0;
  auto y_idles = y.seats_taken == 0;
  if (x_idles != y_idles)
    return x_idles;
  if (free_seats_of(x) != free_seats_of(y))
    return free_seats_of(x) > free_seats_of(y);
  return x.number < y.number;
}

/// Whether the worker can be sent something.
bool dispatcher::has_place(const worker& who) const noexcept {
  return has_flows_ ? who.seats_taken < who.seats : who.in_mailbox < who.window;
}

/// How many seats of the pool the task takes if it goes now.
std::size_t dispatcher::seats_for(const task& what) const noexcept {
  return std::min(what.width, seats_);
}

/// Whether the pool has the seats that the task takes.
bool dispatcher::fits(const task& what) const noexcept {
  return !has_flows_ || seats_for(what) + seats_taken_ <= seats_;
}

/// Whether the task, of which nobody can have it right now, waits for seats of
/// somebody who may run it.
bool dispatcher::gathers_seats(const task& what) {
  if (!has_flows_)
    return false;
  if (what.where == nullptr || what.where->loose)
    return true;
  const auto& only = what.where->only;
  return std::any_of(only.begin(), only.end(), [this](worker_number number) {
    return offered(number) != nullptr;
  });
}

/// Whether all that are offered have room for the task: the one with the least
/// has.
bool dispatcher::fits_on_all(const task& what) const noexcept {
  return roomy_.empty() || has_room(*roomy_.rbegin(), what);
}

/// Makes candidates of those that have room for the task, which are the first
/// ones by their rooms.
void dispatcher::gather_those_with_room(const task& what) {
  candidates_.clear();
  for (auto& each : roomy_) {
    if (!has_room(each, what))
      break;
    candidates_.push_back(&each);
  }
  std::sort(
    candidates_.begin(), candidates_.end(),
    [](const worker* x, const worker* y) { return x->number < y->number; });
}

/// The worker, which is well, is found by its room again when it is looked at
/// next.
void dispatcher::take_seats(task& what, worker& who) noexcept {
  keep_by_room(who, false);
  what.seats_there = std::min(what.width, who.seats);
  who.seats_taken += what.seats_there;
  who.seats_charged += what.seats;
  seats_taken_ += what.seats;
}

void dispatcher::free_seats(task& what, worker& who) noexcept {
  keep_by_room(who, false);
  who.seats_taken -= what.seats_there;
  who.seats_charged -= what.seats;
  if (who.seated)
    seats_taken_ -= what.seats;
}

/// Counts the seats of the worker, and those that its tasks take, while it is
/// well: what runs on one that leaves or hangs holds nobody up.
void dispatcher::count_seats(worker& who, bool is_well, instant now) {
  if (who.seated == is_well)
    return;
  who.seated = is_well;
  if (is_well) {
    seats_ += who.seats;
    seats_taken_ += who.seats_charged;
  } else {
    seats_ -= who.seats;
    seats_taken_ -= who.seats_charged;
  }
  policy_.order->seated(seats_, now);
}

void dispatcher::resized(worker& who, std::size_t places, bool has_nobody,
                         instant now) {
  if (who.is == worker::condition::unknown)
    return;
  who.has_nobody = has_nobody;
  if (has_nobody)
    note_departure(who);
  if (places == who.seats)
    return;
  if (has_flows_) {
    keep_by_room(who, false);
    count_seats(who, false, now);
  }
  if (who.is == worker::condition::serving)
    serving_seats_ = serving_seats_ - who.seats + places;
  who.window = places;
  who.seats = places;
  if (has_flows_ && places > 1)
    sort_by_room();
  refresh(who, now);
  if (places == 0) {
    unassign_all(who, now);
    refresh(who, now);
  }
}

/// Has workers be found by their rooms from now on. As long as all have one
/// seat, they either have room for everything, or are not offered.
void dispatcher::sort_by_room() noexcept {
  if (std::exchange(sorts_by_room_, true))
    return;
  for (auto& each : members_)
    keep_by_room(each, each.offered);
}

/// Has the worker be found by its room, or not. Its room must not change while
/// it is.
void dispatcher::keep_by_room(worker& who, bool wanted) noexcept {
  if (wanted == who.room_hook.is_linked())
    return;
  if (wanted)
    roomy_.insert(who);
  else
    roomy_.erase(roomy_.iterator_to(who));
}

} // namespace libpool
