#include "libpool/policies/least_used.hpp"

namespace libpool {

void least_used::offered(worker& worker, instant) noexcept {
  sorted_.insert(worker);
}

void least_used::withdrawn(worker& worker, instant) noexcept {
  if (worker.unsorted_hook.is_linked())
    unsorted_.erase(unsorted_.iterator_to(worker));
  else
    sorted_.erase(sorted_.iterator_to(worker));
}

worker* least_used::choose(const task&, instant) noexcept {
  while (!unsorted_.empty()) {
    auto& next = unsorted_.front();
    unsorted_.pop_front();
    sorted_.insert(next);
  }
  return sorted_.empty() ? nullptr : &*sorted_.begin();
}

worker* least_used::choose_among(const std::vector<worker*>& some, const task&,
                                 instant) noexcept {
  return winner_of_tie(some);
}

/// Where the worker belongs depends on its tasks. It may not be offered any
/// more.
void least_used::changed(worker& worker) noexcept {
  if (!worker.placement_hook.is_linked())
    return;
  sorted_.erase(sorted_.iterator_to(worker));
  unsorted_.push_back(worker);
}

} // namespace libpool
