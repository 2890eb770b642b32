#include "libpool/actors/caf/serial_actor.hpp"

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/sync/pause.hpp"

#include <memory>
#include <thread>
#include <utility>

namespace libpool {

void serial_actor::deliver(caf::mailbox_element_ptr&& element,
                           execution_context* host) {
  loop_.tell({fact_inbox::kind::submitted, element.release()}, host);
}

void serial_actor::tell(command call, execution_context* host) {
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

void serial_actor::end_handling(execution_context* host) {
  loop_.finish(host);
}

void serial_actor::handle(fact_inbox::fact fact, execution_context* host) {
  if (fact.is() == fact_inbox::kind::submitted)
    return received(message_of(fact), host);
  std::unique_ptr<command_element> owner{fact.as<command_element>()};
  owner->run(host);
}

} // namespace libpool
