#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace libpool {

// Result of a handler as bytes, which a node sends to the pool. The first byte
// is 0 for an answer, and 1 for an error. The content follows, see packing.hpp.

/// Returns the answer as bytes. If the answer cannot be written, returns the
/// error `errc::not_serializable` as bytes.
std::string bytes_of_answer(caf::actor_system& system,
                            const caf::message& answer);

/// Returns the error as bytes. If a part of it cannot be written, returns
/// `errc::not_serializable` with the text of the error.
std::string bytes_of_error(caf::actor_system& system, const caf::error& why);

/// Returns the content of an answer, or the error that it is, as bytes. Moves
/// the content out of the element.
std::string bytes_of_result(caf::actor_system& system,
                            caf::mailbox_element& answer);

/// Whether the bytes represent an error.
bool is_error_in(std::string_view bytes) noexcept;

/// Returns the answer that the bytes represent, or its error as a message;
/// `errc::unreadable` as a message if the bytes represent neither.
caf::message answer_of(caf::actor_system& system, std::string_view bytes);

/// Returns the answer or the error that the bytes represent.
///
/// Errors: `errc::unreadable` if the bytes represent neither.
std::variant<caf::message, caf::error> read_result(caf::actor_system& system,
                                                   std::string_view bytes);

/// Maximum size in bytes of a message batch with one content, without the
/// content.
constexpr std::size_t room_for_batch = 1024;

/// Returns the text of an `errc::too_large` error. The content has `bytes`
/// bytes, and at most `most` bytes are possible.
std::string too_large_text(std::size_t bytes, std::size_t most);

} // namespace libpool
