#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace libpool {

// Result of a handler as bytes, on its way from a node to the pool: one byte
// that tells whether it is an answer (0) or an error (1), followed by its
// content, see packing.hpp.

/// Returns the answer as bytes. If the answer cannot be written, returns the
/// error `errc::not_serializable` as bytes.
std::string bytes_of_answer(caf::actor_system& system,
                            const caf::message& answer);

/// Returns the error as bytes. If a part of it cannot be written, returns
/// `errc::not_serializable` with the text of the error.
std::string bytes_of_error(caf::actor_system& system, const caf::error& why);

/// Returns the answer or the error that the bytes represent.
///
/// Errors: `errc::unreadable` if they represent neither.
std::variant<caf::message, caf::error> read_result(caf::actor_system& system,
                                                   std::string_view bytes);

/// Bytes of a message batch with one content, beside the content.
constexpr std::size_t room_for_batch = 1024;

/// Text of `errc::too_large`.
std::string too_large_text(std::size_t bytes, std::size_t most);

} // namespace libpool
