#include "libpool/core/seat_book.hpp"

#include <utility>

namespace libpool {

/// Orders idle workers first, because an idle worker has room for every task.
bool seat_book::has_more_room::operator()(const worker& x,
                                          const worker& y) const noexcept {
  auto x_idles = x.seats_taken == 0;
  auto y_idles = y.seats_taken == 0;
  if (x_idles != y_idles)
    return x_idles;
  if (free_of(x) != free_of(y))
    return free_of(x) > free_of(y);
  return x.number < y.number;
}

// -- facts --------------------------------------------------------------------

void seat_book::joined(const worker& worker, workers_by_number& all) noexcept {
  serving_ += worker.seats;
  if (counts_ && worker.seats > 1)
    sort(all);
}

void seat_book::retired(const worker& worker) noexcept {
  serving_ -= worker.seats;
}

void seat_book::resized(worker& worker, std::size_t seats,
                        workers_by_number& all) noexcept {
  keep_by_room(worker, false);
  if (worker.is == worker::condition::serving)
    serving_ = serving_ - worker.seats + seats;
  worker.seats = seats;
  if (counts_ && seats > 1)
    sort(all);
}

bool seat_book::counted(worker& worker, bool is_well) noexcept {
  if (!counts_ || worker.seated == is_well)
    return false;
  worker.seated = is_well;
  if (is_well) {
    seats_ += worker.seats;
    taken_ += worker.seats_charged;
  } else {
    seats_ -= worker.seats;
    taken_ -= worker.seats_charged;
  }
  return true;
}

void seat_book::taken(task& task, worker& worker) noexcept {
  keep_by_room(worker, false);
  task.take_seats(task.attempt().seats,
                  std::min(task.notes().width, worker.seats));
  const auto& attempt = task.attempt();
  worker.seats_taken += attempt.seats_there;
  worker.seats_charged += attempt.seats;
  if (worker.seated)
    taken_ += attempt.seats;
}

void seat_book::freed(const task& task, worker& worker) noexcept {
  keep_by_room(worker, false);
  const auto& attempt = task.attempt();
  worker.seats_taken -= attempt.seats_there;
  worker.seats_charged -= attempt.seats;
  if (worker.seated)
    taken_ -= attempt.seats;
}

// -- workers sorted by room ---------------------------------------------------

/// Takes workers from the beginning of the set, where the workers with the most
/// room are.
void seat_book::collect(const task& task, std::vector<worker*>& result) {
  result.clear();
  for (auto& each : by_room_) {
    if (!has_room(each, task))
      break;
    result.push_back(&each);
  }
  std::sort(result.begin(), result.end(), [](const worker* x, const worker* y) {
    return x->number < y->number;
  });
}

/// Begins to keep workers sorted by room.
void seat_book::sort(workers_by_number& all) noexcept {
  if (std::exchange(sorts_, true))
    return;
  for (auto& each : all)
    keep_by_room(each, each.offered);
}

/// Adds the worker to the set sorted by room, or removes it. The room of a
/// worker must not change while the worker is in the set.
void seat_book::keep_by_room(worker& worker, bool wanted) noexcept {
  if (wanted == worker.room_hook.is_linked())
    return;
  if (wanted)
    by_room_.insert(worker);
  else
    by_room_.erase(by_room_.iterator_to(worker));
}

} // namespace libpool
