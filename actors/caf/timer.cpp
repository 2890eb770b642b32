#include "libpool/actors/caf/timer.hpp"

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>

#include <utility>

namespace libpool {

namespace {

class timer final : public delivering<timer, front_actor> {
public:
  timer(caf::actor_config& cfg, caf::actor_addr owner)
    : delivering(cfg), owner_(std::move(owner)) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&&, execution_context* host) {
    if (auto ptr = caf::actor_cast<caf::strong_actor_ptr>(owner_))
      static_cast<watcher*>(ptr->get())->time_is_up(host);
  }

  const char* name() const override {
    return "libpool::timer";
  }

private:
  caf::actor_addr owner_;
};

} // namespace

caf::actor make_timer(watcher& owner) {
  caf::actor_config cfg;
  auto& system = owner.home_system();
  return caf::make_actor<timer, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg, owner.address());
}

} // namespace libpool
