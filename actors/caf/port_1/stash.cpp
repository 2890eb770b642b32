#include "libpool/actors/caf/port/stash.hpp"

#include <caf/blocking_actor.hpp>
#include <caf/scheduled_actor.hpp>

namespace libpool {

namespace {

/// CAF does not tell of skipped messages. They are in a private member, which
/// may be named where a template is instantiated explicitly: if it goes, this
/// does not compile.
template <class Actor, stash Actor::*Member>
struct stash_access {
  friend stash& found_stash(Actor& actor) noexcept {
    return actor.*Member;
  }
};

stash& found_stash(caf::scheduled_actor& actor) noexcept;
stash& found_stash(caf::blocking_actor& actor) noexcept;

template struct stash_access<caf::scheduled_actor,
                             &caf::scheduled_actor::stash_>;
template struct stash_access<caf::blocking_actor, &caf::blocking_actor::stash_>;

} // namespace

stash& stash_of(caf::scheduled_actor& actor) noexcept {
  return found_stash(actor);
}

stash& stash_of(caf::blocking_actor& actor) noexcept {
  return found_stash(actor);
}

} // namespace libpool
