/// Which actors can get tracked elements, and what is done with their mailboxes
/// at their ends.

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/stash.hpp"
#include "libpool/actors/caf/port/worker_mailbox.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_companion.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/scheduled_actor.hpp>

#include <optional>

namespace libpool {

namespace {

/// Companions get messages in the threads of their senders. When a companion
/// ends, the messages that it has not handled cannot be determined.
bool is_companion(const caf::abstract_actor& actor) noexcept {
  return dynamic_cast<const caf::actor_companion*>(&actor) != nullptr;
}

/// Closes the mailbox as CAF does after it has reported the actor's end:
/// requests that were not handled come back.
void close_mailbox(caf::blocking_actor& actor) {
  if (actor.mailbox().closed())
    return;
  while (auto* skipped = stash_of(actor).pop())
    actor.mailbox().push_front(caf::mailbox_element_ptr{skipped});
  actor.mailbox().close({});
}

} // namespace

std::optional<element_record::receiver>
trackable(caf::abstract_actor& actor) noexcept {
  element_record::receiver result;
  result.actor = &actor;
  result.scheduled = dynamic_cast<caf::scheduled_actor*>(&actor);
  result.blocking = dynamic_cast<caf::blocking_actor*>(&actor);
  result.pool = dynamic_cast<inner_pool*>(&actor);
  result.has_mailbox = result.scheduled != nullptr && !is_companion(actor)
                       && worker_mailbox::of(*result.scheduled) != nullptr;
  result.goes_on = result.has_mailbox
                   && !actor.getf(caf::abstract_actor::collects_metrics_flag);
  result.lets_recall = result.has_mailbox
                       || (result.pool != nullptr
                           && result.pool->lets_recall());
  if (!result.has_mailbox && result.pool == nullptr
      && result.blocking == nullptr)
    return std::nullopt;
  return result;
}

bool lacks_set_up(caf::abstract_actor& actor) noexcept {
  auto* scheduled = dynamic_cast<caf::scheduled_actor*>(&actor);
  return scheduled != nullptr && !is_companion(actor)
         && worker_mailbox::of(*scheduled) == nullptr;
}

void tell_ends_in(caf::abstract_actor& actor, execution_context* host) {
  if (host == nullptr)
    return; // it has ended in another thread, or its mailbox was closed before
  if (auto* scheduled = dynamic_cast<caf::scheduled_actor*>(&actor)) {
    if (auto* mailbox = worker_mailbox::of(*scheduled))
      mailbox->owner_ended();
  } else if (auto* blocking = dynamic_cast<caf::blocking_actor*>(&actor)) {
    close_mailbox(*blocking);
  }
}

bool is_closed(const element_record::receiver& worker) noexcept {
  if (worker.actor->getf(caf::abstract_actor::is_shutting_down_flag
                         | caf::abstract_actor::is_terminated_flag))
    return true;
  if (worker.blocking != nullptr)
    return worker.blocking->mailbox().closed();
  return worker.has_mailbox && worker_mailbox::of(*worker.scheduled)->is_shut();
}

} // namespace libpool
