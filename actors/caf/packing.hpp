#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace libpool {

// Contents of messages as bytes, in the format that CAF uses between nodes, but
// without handles of actors, since such an actor could not get an answer back.
// Null handles are supported.

/// Returns the content as bytes.
///
/// Errors: `errc::not_serializable` with a text, if CAF cannot write a type, or
///         if the content has a handle of an actor. With CAF 0.17, handles of
///         actors of other nodes are found only when the bytes are read, and
///         handles of local actors are found only if the system has a network.
std::variant<std::string, caf::error> pack(caf::actor_system& system,
                                           const caf::message& content);

/// Returns the content that the bytes represent.
///
/// Cost:   O(bytes), whatever sizes the bytes claim. A list that claims more
///         elements than bytes that follow (with CAF 0.17: bits) is reported as
///         damaged.
/// Errors: `errc::unreadable` with a text, if the bytes are damaged, a type is
///         unknown in this program, there is a handle of an actor, or values
///         are nested so deeply that they could exhaust the stack. No exception
///         is thrown.
std::variant<caf::message, caf::error> unpack(caf::actor_system& system,
                                              std::string_view bytes);

} // namespace libpool
