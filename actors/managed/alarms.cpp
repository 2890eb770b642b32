#include "libpool/actors/managed/alarms.hpp"

#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/timer.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/message.hpp>

namespace libpool {

void alarms::set(instant due) {
  if (due == never || (!set_.empty() && *set_.begin() <= due))
    return;
  set_.insert(due);
  if (!timer_)
    timer_ = make_timer(told_);
  told_.home_system().clock().schedule_message(
    due, caf::actor_cast<caf::strong_actor_ptr>(timer_),
    make_element(nullptr, caf::make_message_id(), caf::message{}));
}

void alarms::rang(instant now) {
  auto told = set_.upper_bound(now);
  if (told == set_.begin() && told != set_.end())
    ++told; // the clock is early
  set_.erase(set_.begin(), told);
}

} // namespace libpool
