#include "libpool/policies/least_used.hpp"

namespace libpool {

void least_used::offered(worker& worker, instant) noexcept {
  offered_.insert(worker);
}

void least_used::withdrawn(worker& worker, instant) noexcept {
  offered_.erase(offered_.iterator_to(worker));
}

void least_used::assigned(worker& worker, task&, instant) noexcept {
  sort_in_again(worker);
}

void least_used::unassigned(worker& worker, task&, instant) noexcept {
  sort_in_again(worker);
}

worker* least_used::choose(const task&, instant) noexcept {
  return offered_.empty() ? nullptr : &*offered_.begin();
}

worker* least_used::choose_among(const std::vector<worker*>& some, const task&,
                                 instant) noexcept {
  return winner_of_tie(some);
}

void least_used::sort_in_again(worker& worker) noexcept {
  if (!worker.placement_hook.is_linked())
    return;
  offered_.erase(offered_.iterator_to(worker));
  offered_.insert(worker);
}

} // namespace libpool
