/// Which actors can get tracked elements.

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/inner_pool.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_companion.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/scheduled_actor.hpp>

#include <optional>

namespace libpool {

std::optional<element_record::receiver>
trackable(caf::abstract_actor& actor) noexcept {
  element_record::receiver result;
  result.actor = &actor;
  result.scheduled = dynamic_cast<caf::scheduled_actor*>(&actor);
  result.blocking = dynamic_cast<caf::blocking_actor*>(&actor);
  result.pool = dynamic_cast<inner_pool*>(&actor);
  result.has_mailbox = result.scheduled != nullptr
                       && dynamic_cast<caf::actor_companion*>(&actor)
                            == nullptr;
  result.goes_on = result.has_mailbox;
  result.lets_recall = result.scheduled != nullptr
                       || (result.pool != nullptr
                           && result.pool->lets_recall());
  if (result.scheduled == nullptr && result.blocking == nullptr
      && result.pool == nullptr)
    return std::nullopt;
  return result;
}

bool lacks_set_up(caf::abstract_actor&) noexcept {
  return false;
}

/// CAF has told: it closes the mailbox first.
void tell_ends_in(caf::abstract_actor&, execution_context*) {
  // nop
}

bool is_closed(const element_record::receiver& worker) noexcept {
  if (worker.actor->getf(caf::abstract_actor::is_shutting_down_flag
                         | caf::abstract_actor::is_terminated_flag))
    return true;
  if (worker.scheduled != nullptr)
    return worker.scheduled->mailbox().closed();
  return worker.blocking != nullptr && worker.blocking->mailbox().closed();
}

} // namespace libpool
