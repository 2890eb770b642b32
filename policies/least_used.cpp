#include "libpool/policies/least_used.hpp"

#include <tuple>

namespace libpool {

bool least_used::less_used::operator()(const worker& x,
                                       const worker& y) const noexcept {
  return std::tie(x.in_flight, x.chosen, x.number)
         < std::tie(y.in_flight, y.chosen, y.number);
}

void least_used::offered(worker& who, instant) noexcept {
  offered_.insert(who);
}

void least_used::withdrawn(worker& who, instant) noexcept {
  offered_.erase(offered_.iterator_to(who));
}

void least_used::assigned(worker& who, const task&, instant) noexcept {
  sort_in_again(who);
}

void least_used::parted(worker& who, const task&, instant) noexcept {
  sort_in_again(who);
}

worker* least_used::choose(const task&, instant) noexcept {
  return offered_.empty() ? nullptr : &*offered_.begin();
}

void least_used::sort_in_again(worker& who) noexcept {
  if (!who.placement_hook.is_linked())
    return;
  offered_.erase(offered_.iterator_to(who));
  offered_.insert(who);
}

} // namespace libpool
