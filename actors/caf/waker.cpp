#include "libpool/actors/caf/waker.hpp"

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>

#include <utility>

namespace libpool {

namespace {

/// An actor that wakes its owner for each message that it gets. The clock keeps
/// its receivers alive: this one does not keep the owner alive.
class bell final : public delivering<bell, front_actor> {
public:
  bell(caf::actor_config& cfg, caf::actor_addr owner, caf::actor_clock& clock)
    : delivering(cfg), owner_(std::move(owner)), clock_(clock) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&&, execution_context* host) {
    alarm::rings_here(home_system(), clock_);
    if (auto ptr = reach(owner_))
      static_cast<watcher*>(ptr->get())->time_is_up(host);
  }

  const char* name() const override {
    return "libpool::bell";
  }

private:
  caf::actor_addr owner_;
  caf::actor_clock& clock_; // which calls
};

caf::actor make_bell(watcher& owner) {
  caf::actor_config cfg;
  auto& system = owner.home_system();
  return caf::make_actor<bell, caf::actor>(system.next_actor_id(),
                                           system.node(), &system, cfg,
                                           owner.address(), clock_of(system));
}

} // namespace

void waker::set(instant due) {
  if (due == due_)
    return;
  auto& system = told_.home_system();
  if (due_ != never)
    alarm_.stop(system, bell_);
  due_ = due;
  if (due == never)
    return;
  if (!bell_)
    bell_ = make_bell(told_);
  alarm_.set(system, due, bell_);
}

bool waker::has_come(instant now) noexcept {
  if (now < due_)
    return false;
  due_ = never;
  return true;
}

} // namespace libpool
