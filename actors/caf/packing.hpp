#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace libpool {

// Contents of messages as bytes, as CAF writes them between nodes, but without
// handles of actors: nobody could answer for these. Null handles travel.

/// The content as bytes.
///
/// Errors: `errc::not_serializable`, with the reason in words: CAF cannot write
///         a type, or there is a handle of an actor. With CAF 0.17, handles of
///         actors of other nodes are found only when the bytes are read, and
///         those of own actors only if the system has a network.
std::variant<std::string, caf::error> pack(caf::actor_system& system,
                                           const caf::message& content);

/// The content that the bytes are.
///
/// Cost:   O(bytes), whatever sizes they claim: a list with more elements than
///         bytes behind it is taken for damaged (with CAF 0.17, than bits).
/// Errors: `errc::unreadable`, with the reason in words: the bytes are damaged,
///         a type is not known here, there is a handle of an actor, or values
///         are nested so deeply that they could exhaust the stack. Nothing is
///         thrown, whatever the bytes are.
std::variant<caf::message, caf::error> unpack(caf::actor_system& system,
                                              std::string_view bytes);

} // namespace libpool
