#pragma once

#include <caf/fwd.hpp>
#include <caf/intrusive/stack.hpp>
#include <caf/mailbox_element.hpp>

namespace libpool {

/// The messages that an actor has skipped.
using stash = caf::intrusive::stack<caf::mailbox_element>;

/// Returns the skipped messages of the actor.
///
/// Threads: the actor's.
stash& stash_of(caf::scheduled_actor& actor) noexcept;
stash& stash_of(caf::blocking_actor& actor) noexcept;

} // namespace libpool
