#pragma once

#include "libpool/export.hpp"
#include "libpool/nodes/protocol/message_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace libpool {

/// Header of each message batch: the run of the pool that the batch belongs to,
/// and the place of the batch in the stream of its session.
struct envelope {
  /// Number of the pool's run, higher for a later run; 0 if the node does not
  /// know the run yet.
  std::uint64_t epoch = 0;
  /// Place in the stream, and acknowledgement of received messages.
  stream_mark mark;
};

/// An envelope and the message batch in it.
struct opened_envelope {
  /// The envelope.
  envelope head;
  /// Message batch, as a part of the bytes that were read.
  std::string_view batch;
};

/// Maximum size of an envelope in bytes.
constexpr std::size_t envelope_room = 1 + 3 * 10;

/// Returns the envelope as bytes. The bytes of a message batch follow.
LIBPOOL_EXPORT std::string bytes_of(const envelope& head);

/// Writes the envelope before a message batch. `batch` begins with
/// `envelope_room` bytes, and the message batch follows. Returns the envelope
/// and the batch as a part of `batch`. A further call replaces the envelope.
LIBPOOL_EXPORT std::string_view put_in_envelope(const envelope& head,
                                                std::string& batch);

/// Returns the envelope at the beginning of the bytes, and the message batch
/// after it; unset if the bytes do not begin with an envelope. Costs O(1).
LIBPOOL_EXPORT std::optional<opened_envelope>
open_envelope(std::string_view bytes);

} // namespace libpool
