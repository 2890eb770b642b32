#include "libpool/actors/caf/port/front_actor.hpp"

#include <caf/actor_cast.hpp>
#include <caf/local_actor.hpp>
#include <caf/message_id.hpp>

namespace libpool {

void send_to(caf::abstract_actor& receiver, caf::message content,
             execution_context* host) {
  receiver.enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(),
                                             std::move(content)),
                   host);
}

std::string short_name_of(const caf::abstract_actor& actor) {
  return actor.name();
}

caf::strong_actor_ptr reach(const caf::actor_addr& front) {
  auto found = caf::actor_cast<caf::strong_actor_ptr>(front);
  if (found != nullptr
      && static_cast<front_actor*>(found->get())->is_unreachable())
    return nullptr;
  return found;
}

caf::error fail_state_of(caf::abstract_actor& actor) {
  if (auto* local = dynamic_cast<caf::local_actor*>(&actor))
    return local->fail_state();
  if (auto* front = dynamic_cast<front_actor*>(&actor))
    return front->fail_state();
  return {};
}

} // namespace libpool
