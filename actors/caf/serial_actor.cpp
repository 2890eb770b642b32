#include "libpool/actors/caf/serial_actor.hpp"

#include "libpool/sync/pause.hpp"

#include <thread>
#include <utility>

namespace libpool {

void serial_actor::enqueue(caf::mailbox_element_ptr element,
                           caf::execution_unit* host) {
  loop_.tell({fact_inbox::kind::submitted, element.release()}, host);
}

void serial_actor::tell(command call, caf::execution_unit* host) {
  loop_.tell({fact_inbox::kind::command, new command_element(std::move(call))},
             host);
}

void serial_actor::begin_handling() noexcept {
  constexpr auto patience = 100;
  for (auto spins = 0; !loop_.try_begin(nullptr); ++spins)
    if (spins < patience) // the handling thread has all but ended
      pause();
    else
      std::this_thread::yield();
}

void serial_actor::end_handling(caf::execution_unit* host) {
  loop_.finish(host);
}

void serial_actor::handle(fact_inbox::fact fact, caf::execution_unit* host) {
  caf::mailbox_element_ptr owner{fact.element()};
  if (fact.is() == fact_inbox::kind::command)
    static_cast<command_element&>(*owner).run(host);
  else
    received(std::move(owner), host);
}

} // namespace libpool
