#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor.hpp>
#include <caf/mailbox_element.hpp>

#include <utility>

namespace libpool {

/// Sends the message to `worker`.
inline void hand_to(const caf::actor& worker, caf::mailbox_element_ptr& element,
                    execution_context* host) {
  auto& actor = actor_behind(worker);
  if (__builtin_expect(tracked_element::from(*element) != nullptr, 0))
    return tracked_element::pass_on(std::move(element), actor, host);
  actor.enqueue(std::move(element), host);
}

} // namespace libpool
