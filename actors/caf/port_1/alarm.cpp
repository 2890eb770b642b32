#include "libpool/actors/caf/port/alarm.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/spawn_options.hpp>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace libpool {

namespace {

caf::disposable schedule(caf::actor_clock& clock, instant when,
                         const caf::actor& receiver) {
  return clock.schedule_message(
    nullptr, caf::actor_cast<caf::strong_actor_ptr>(receiver), when,
    caf::make_message_id(), caf::message{});
}

/// Asks a clock in place of its thread: in another one, of which there is one
/// at most. It ends when it has nothing more to ask for.
class deputy : public std::enable_shared_from_this<deputy> {
public:
  void set(caf::actor_system& system, instant when,
           const caf::actor& receiver) {
    {
      std::lock_guard guard{mutex_};
      asked_.push_back({when, receiver});
      if (std::exchange(is_at_work_, true))
        return;
    }
    system.spawn<caf::detached + caf::hidden>(
      [self = shared_from_this(), &clock = clock_of(system)] {
        self->work(clock);
      });
  }

private:
  struct entry {
    instant when;
    caf::actor receiver;
  };

  void work(caf::actor_clock& clock) {
    for (;;) {
      std::vector<entry> asked;
      {
        std::lock_guard guard{mutex_};
        asked.swap(asked_);
        if (asked.empty()) {
          is_at_work_ = false;
          return;
        }
      }
      for (auto& each : asked)
        schedule(clock, each.when, each.receiver);
    }
  }

  std::mutex mutex_;
  std::vector<entry> asked_;
  bool is_at_work_ = false;
};

/// The clock whose thread this is, if any. Clocks for tests have none.
thread_local caf::actor_clock* clock_of_this_thread = nullptr;
thread_local const caf::actor_system* system_of_this_thread = nullptr;
thread_local std::shared_ptr<deputy> deputy_of_this_thread;

} // namespace

void alarm::set(caf::actor_system& system, instant when,
                const caf::actor& receiver) {
  auto& clock = clock_of(system);
  if (clock_of_this_thread == &clock)
    deputy_of_this_thread->set(system, when, receiver);
  else
    pending_ = schedule(clock, when, receiver);
}

void alarm::stop(caf::actor_system&, const caf::actor&) {
  pending_.dispose();
}

void alarm::rings_here(caf::actor_system& system, caf::actor_clock& clock) {
  if (clock_of_this_thread == &clock
      || dynamic_cast<caf::detail::thread_safe_actor_clock*>(&clock) == nullptr)
    return;
  clock_of_this_thread = &clock;
  system_of_this_thread = &system;
  deputy_of_this_thread = std::make_shared<deputy>();
}

caf::actor_clock& clock_of(caf::actor_system& system) {
  return system_of_this_thread == &system ? *clock_of_this_thread
                                          : system.clock();
}

} // namespace libpool
