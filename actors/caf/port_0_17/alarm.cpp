#include "libpool/actors/caf/port/alarm.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/detail/simple_actor_clock.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/message_id.hpp>

namespace libpool {

namespace {

using own_clock = caf::detail::thread_safe_actor_clock;

/// The clock whose thread this is. Clocks for tests have none.
thread_local own_clock* clock_of_this_thread = nullptr;

bool is_here(const caf::actor_clock& clock) noexcept {
  return clock_of_this_thread == &clock;
}

} // namespace

/// The thread of the clock has its entries to itself.
void alarm::set(caf::actor_system& system, instant when,
                const caf::actor& receiver) {
  auto& clock = system.clock();
  auto* told = caf::actor_cast<caf::abstract_actor*>(receiver);
  auto id = caf::make_message_id(1).response_id();
  if (is_here(clock))
    clock_of_this_thread->simple_actor_clock::set_request_timeout(when, told,
                                                                  id);
  else
    clock.set_request_timeout(when, told, id);
}

void alarm::stop(caf::actor_system& system, const caf::actor& receiver) {
  auto& clock = system.clock();
  if (!is_here(clock))
    clock.cancel_timeouts(caf::actor_cast<caf::abstract_actor*>(receiver));
}

void alarm::rings_here(caf::actor_system&, caf::actor_clock& clock) {
  clock_of_this_thread = dynamic_cast<own_clock*>(&clock);
}

caf::actor_clock& clock_of(caf::actor_system& system) {
  return system.clock();
}

} // namespace libpool
