#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace libpool {

// What a handler has answered, as it travels from a node to the pool: a byte
// that tells whether it is an answer (0) or an error (1), and the content of
// that, see packing.hpp.

/// The answer as bytes; the error `errc::not_serializable` in its place if it
/// cannot be written.
std::string bytes_of_answer(caf::actor_system& system,
                            const caf::message& answer);

/// The error as bytes; in its place `errc::not_serializable`, with the error in
/// words, if it carries what cannot be written.
std::string bytes_of_error(caf::actor_system& system, const caf::error& why);

/// The answer or the error that the bytes are.
///
/// Errors: `errc::unreadable` if they are neither.
std::variant<caf::message, caf::error> read_result(caf::actor_system& system,
                                                   std::string_view bytes);

} // namespace libpool
