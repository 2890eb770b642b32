#include "libpool/policies/placement/least_used.hpp"

namespace libpool {

void least_used::offered(worker& worker, instant) noexcept {
  sort_in(worker);
}

void least_used::withdrawn(worker& worker, instant) noexcept {
  offered_.remove(worker);
}

void least_used::assigned(worker& worker, task&, instant) noexcept {
  sort_in_again(worker);
}

void least_used::unassigned(worker& worker, task&, instant) noexcept {
  if (!worker.ends_follow)
    sort_in_again(worker);
}

worker* least_used::choose(const task&, instant) noexcept {
  return offered_.empty() ? nullptr : &offered_.top();
}

worker* least_used::choose_among(const std::vector<worker*>& some, const task&,
                                 instant) noexcept {
  return winner_of_tie(some);
}

/// Sorts the worker in by the tie rule. The key has the number of tasks in
/// flight and the time of the last choice.
void least_used::sort_in(worker& worker) noexcept {
  __extension__ using wide = __int128;
  offered_.put(worker,
               (static_cast<wide>(worker.in_flight) << 64) + worker.chosen);
}

void least_used::sort_in_again(worker& worker) noexcept {
  if (worker.heap_slot != worker::in_no_heap)
    sort_in(worker);
}

} // namespace libpool
