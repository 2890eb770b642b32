#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>
#include <caf/system_messages.hpp>

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

/// The pool of this type behind `handle`, if it is one.
template <class Pool>
Pool* pool_behind(const caf::actor& handle) {
  return is_nobody(handle) ? nullptr
                           : dynamic_cast<Pool*>(&actor_behind(handle));
}

inline bool is_dead(const caf::abstract_actor& actor) {
  return actor.getf(caf::abstract_actor::is_terminated_flag);
}

/// Whether CAF's streams have to do with it.
inline bool belongs_to_stream(caf::mailbox_element& element) {
  return element.mid.is_stream_message()
         || element.content().match_elements<caf::open_stream_msg>();
}

/// Sends the exit message. An exception from the worker is dropped, so that the
/// other workers get theirs.
inline void send_exit(const caf::actor& worker, const caf::message& exit,
                      caf::execution_unit* host) noexcept {
  try {
    actor_behind(worker).enqueue(nullptr, caf::make_message_id(), exit, host);
  } catch (...) { // NOLINT(bugprone-empty-catch)
  }
}

/// Describes the exception that is being handled.
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
