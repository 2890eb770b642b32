#pragma once

#include "libpool/core/errc.hpp"

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// Returns the actor in the words of an error: "actor 5 (squarer)", where 5 is
/// its id in CAF; pools, pipelines and remote actors are called so. A worker of
/// a managed pool has a number of that pool, see `describe`.
///
/// Threads: the name may belong to the actor's state, which goes when the actor
///          ends: to be called by the actor, or before it can have ended.
std::string name_of(const caf::abstract_actor& actor);

/// Returns the name of the actor, or its class where it has only the name that
/// CAF gives to all actors.
///
/// Threads: as `name_of`.
std::string short_words_of(const caf::abstract_actor& actor);

/// The error inside the words of another one. The context of one of libpool's
/// needs nothing around it.
std::string words_of(const caf::error& error, const caf::actor_system& system);

/// An error of libpool in words, see `render`.
std::string words_of(errc code, const caf::message& context);

/// The context of an error of libpool in words; empty if it has none.
std::string words_of(const caf::message& context);

} // namespace libpool
