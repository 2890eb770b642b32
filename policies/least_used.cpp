#include "libpool/policies/least_used.hpp"

namespace libpool {

void least_used::offered(worker& who, instant) noexcept {
  offered_.insert(who);
}

void least_used::withdrawn(worker& who, instant) noexcept {
  offered_.erase(offered_.iterator_to(who));
}

void least_used::assigned(worker& who, task&, instant) noexcept {
  sort_in_again(who);
}

void least_used::unassigned(worker& who, task&, instant) noexcept {
  sort_in_again(who);
}

worker* least_used::choose(const task&, instant) noexcept {
  return offered_.empty() ? nullptr : &*offered_.begin();
}

worker* least_used::choose_among(const std::vector<worker*>& some, const task&,
                                 instant) noexcept {
  return winner_of_tie(some);
}

void least_used::sort_in_again(worker& who) noexcept {
  if (!who.placement_hook.is_linked())
    return;
  offered_.erase(offered_.iterator_to(who));
  offered_.insert(who);
}

} // namespace libpool
