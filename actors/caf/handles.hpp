#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>

#include <exception>
#include <string>

namespace libpool {

inline bool is_nobody(const caf::actor& handle) {
  return caf::actor_cast<caf::actor_control_block*>(handle) == nullptr;
}

/// @pre `handle` refers to an actor
inline caf::abstract_actor& actor_behind(const caf::actor& handle) {
  return *caf::actor_cast<caf::abstract_actor*>(handle);
}

/// Returns the pool of type `Pool` behind `handle`; nullptr if there is none.
template <class Pool>
Pool* pool_behind(const caf::actor& handle) {
  return is_nobody(handle) ? nullptr
                           : dynamic_cast<Pool*>(&actor_behind(handle));
}

inline bool is_dead(const caf::abstract_actor& actor) {
  return actor.getf(caf::abstract_actor::is_terminated_flag);
}

/// Sends the exit message. Ignores an exception that the worker throws, so that
/// the other workers get their exit messages.
inline void send_exit(const caf::actor& worker, const caf::message& exit,
                      execution_context* host) noexcept {
  try {
    send_to(actor_behind(worker), exit, host);
  } catch (...) { // NOLINT(bugprone-empty-catch)
  }
}

/// Returns the text of the exception that is being handled.
inline std::string thrown_text() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

} // namespace libpool
