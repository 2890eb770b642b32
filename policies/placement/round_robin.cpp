#include "libpool/policies/placement/round_robin.hpp"

#include <algorithm>

namespace libpool {

void round_robin::offered(worker& worker, instant) noexcept {
  offered_.insert(worker);
}

void round_robin::withdrawn(worker& worker, instant) noexcept {
  offered_.erase(offered_.iterator_to(worker));
}

void round_robin::picked(worker& worker, const task&, instant) noexcept {
  last_ = worker.number;
}

void round_robin::assigned(worker&, task&, instant) noexcept {
  // Assignments by other rules do not count as turns.
}

void round_robin::unassigned(worker&, task&, instant) noexcept {
  // The end of a task does not change the turns.
}

worker* round_robin::choose(const task&, instant) noexcept {
  if (offered_.empty())
    return nullptr;
  auto next = last_ ? offered_.upper_bound(*last_, joined_sooner{})
                    : offered_.begin();
  return next == offered_.end() ? &*offered_.begin() : &*next;
}

worker* round_robin::choose_among(const std::vector<worker*>& some, const task&,
                                  instant) noexcept {
  if (!last_)
    return some.front();
  auto comes_after = [](worker_number x, const worker* y) {
    return x < y->number;
  };
  auto next = std::upper_bound(some.begin(), some.end(), *last_, comes_after);
  return next == some.end() ? some.front() : *next;
}

} // namespace libpool
