#pragma once

#include "libpool/core/errc.hpp"

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// Returns the actor as error texts name it: "actor 5 (squarer)", where 5 is
/// its id in CAF. Used for pools, pipelines and remote actors. Workers of a
/// managed pool have a number in that pool, see `describe`.
///
/// Threads: the name may belong to the state of the actor, which is destroyed
///          when the actor ends. To be called by the actor, or before it can
///          have ended.
std::string name_of(const caf::abstract_actor& actor);

/// Returns the name of the actor, or the name of its class if CAF gave it only
/// the default name.
///
/// Threads: as `name_of`.
std::string short_words_of(const caf::abstract_actor& actor);

/// Returns the name under which the local actor is in the registry of its actor
/// system; empty if it has none. Can be called from any thread.
///
/// Cost: O(names in the registry).
std::string registered_name_of(const caf::strong_actor_ptr& actor);

/// Returns the error as a part of another error text. For an error of libpool
/// with a context, this is the context without the code.
std::string words_of(const caf::error& error, const caf::actor_system& system);

/// Returns an error of libpool as a text, see `render`.
std::string words_of(errc code, const caf::message& context);

/// Returns the context of an error of libpool as a text; empty if there is
/// none.
std::string words_of(const caf::message& context);

/// Returns the error with the note at the end of its text. An error whose
/// context does not begin with a text gets the note as a further element of its
/// context.
caf::error with_note(const caf::error& error, const std::string& note);

/// Returns `caf::sec::invalid_argument` with the text "libpool: " and `why`.
caf::error invalid_argument(const std::string& why);

/// Throws std::invalid_argument with the text of the error, by which a pool
/// refuses a command. A pool that has ended ignores the command.
void throw_if(const caf::error& refusal);

} // namespace libpool
