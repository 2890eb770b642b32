#pragma once

#include <caf/fwd.hpp>
#include <caf/intrusive/stack.hpp>
#include <caf/mailbox_element.hpp>

namespace libpool {

/// Messages that an actor has skipped.
using stash = caf::intrusive::stack<caf::mailbox_element>;

/// Returns the skipped messages of the actor.
///
/// Threads: only the thread that runs the actor.
stash& stash_of(caf::scheduled_actor& actor) noexcept;
stash& stash_of(caf::blocking_actor& actor) noexcept;

} // namespace libpool
