#pragma once

#include "libpool/export.hpp"
#include "libpool/nodes/protocol/batches.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

// Message batches as bytes, in libpool's own format. The bytes alone are enough
// to read a batch. Any bytes from the other end are safe to read.

/// A message batch to the pool, read from bytes. `contents` refers to these
/// bytes.
struct read_by_pool {
  /// The batch.
  batch_to_pool batch;
  /// Introduction, if the message is a hello.
  introduction who;
  /// Results, one for each task in `tasks_done`.
  std::vector<std::string_view> contents;
};

/// A message batch to the node, read from bytes. `contents` refers to these
/// bytes.
struct read_by_node {
  /// The batch.
  batch_to_node batch;
  /// Reason, if the pool has rejected the node. Then `batch` is empty.
  std::optional<rejection> rejected;
  /// Contents, one for each task in `tasks_sent`.
  std::vector<std::string_view> contents;
};

/// Returns the message batch as bytes, after `room` bytes for an envelope. The
/// session is that of the batch; the session in its message is not written.
///
/// Shapes:  `contents` has one element for each task, in the same order, for
///          `tasks_done` and `tasks_sent`; otherwise it is empty.
/// Cost:    O(bytes): the contents are copied.
LIBPOOL_EXPORT std::string
bytes_of(const batch_to_pool& batch,
         const std::vector<std::string_view>& contents = {},
         std::size_t room = 0);
/// Returns the message batch as bytes, after `room` bytes for an envelope. The
/// session is that of the batch; the session in its message is not written.
LIBPOOL_EXPORT std::string
bytes_of(const batch_to_node& batch,
         const std::vector<std::string_view>& contents = {},
         std::size_t room = 0);

/// Returns a hello with an introduction as bytes, after `room` bytes for an
/// envelope.
LIBPOOL_EXPORT std::string bytes_of(const hello& batch, const introduction& who,
                                    std::size_t room = 0);

/// Returns a rejection as bytes, after `room` bytes for an envelope.
LIBPOOL_EXPORT std::string bytes_of(rejection why, std::size_t room = 0);

/// Returns the message batch that the bytes represent; unset if the bytes are
/// not exactly one message batch. A hello and a rejection may be followed by
/// further bytes, since programs of all versions read them.
///
/// Cost:    O(bytes) in time and in memory, even if the bytes claim larger
///          sizes. Contents are not copied.
/// Errors:  an ending must be `completed` or `crashed`, and a lease must be
///          above zero and at most one day. Other numbers are not checked.
LIBPOOL_EXPORT std::optional<read_by_pool>
read_batch_to_pool(std::string_view bytes);
/// Returns the message batch that the bytes represent; unset if the bytes are
/// not exactly one message batch.
LIBPOOL_EXPORT std::optional<read_by_node>
read_batch_to_node(std::string_view bytes);

} // namespace libpool
