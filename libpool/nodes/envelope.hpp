#pragma once

#include "libpool/nodes/message_stream.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace libpool {

/// What precedes each message batch: the run of the pool that it belongs to,
/// and its place in the stream of its session.
struct envelope {
  /// Run of the pool, higher for a later run; 0 if the node knows none yet.
  std::uint64_t epoch = 0;
  /// Place in the stream, and acknowledgement.
  stream_mark mark;
};

/// An envelope and the message batch in it.
struct opened_envelope {
  /// The envelope.
  envelope head;
  /// Message batch, as a part of the bytes that were read.
  std::string_view batch;
};

/// Returns the envelope as bytes, which the message batch follows.
std::string bytes_of(const envelope& head);

/// Returns the envelope that the bytes begin with; unset if they begin with
/// none. Costs O(1).
std::optional<opened_envelope> open_envelope(std::string_view bytes);

} // namespace libpool
