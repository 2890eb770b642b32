#pragma once

#include "libpool/nodes/batches.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

// Message batches as bytes, in a format of libpool. A reader needs only the
// bytes, and accepts anything from the other end.

/// Versions of the protocol that a program supports.
struct protocol_range {
  /// Oldest version.
  std::uint32_t oldest = 1;
  /// Newest version.
  std::uint32_t newest = 1;
};

/// Versions that this library supports.
constexpr protocol_range spoken_protocols{1, 1};

/// Introduction of a node, sent with its hello.
struct introduction {
  /// Versions of the protocol that the node speaks.
  protocol_range speaks = spoken_protocols;
  /// Name of the node.
  std::string name;
  /// Labels that tasks can require.
  std::vector<std::string> labels;
};

/// Why a node is rejected.
enum class rejection : std::uint8_t {
  /// The pool and the node support no common version of the protocol.
  protocol = 1,
};

/// A message batch to the pool, as read. Its contents are parts of the bytes.
struct read_by_pool {
  /// The batch.
  batch_to_pool batch;
  /// Introduction, if the message is a hello.
  introduction who;
  /// Results, one for each end in `tasks_done`.
  std::vector<std::string_view> contents;
};

/// A message batch to the node, as read. Its contents are parts of the bytes.
struct read_by_node {
  /// The batch.
  batch_to_node batch;
  /// If set, the node was rejected, and `batch` is empty.
  std::optional<rejection> rejected;
  /// Contents, one for each task in `tasks_sent`.
  std::vector<std::string_view> contents;
};

/// Returns the message batch as bytes. The session of the batch is written
/// once.
///
/// Shapes:  `contents` has one element for each task, in the same order, for
///          `tasks_done` and `tasks_sent`; otherwise it is empty.
/// Cost:    O(bytes): the contents are copied.
std::string bytes_of(const batch_to_pool& batch,
                     const std::vector<std::string_view>& contents = {});
/// Returns the batch as bytes. Its session is written once, as the batch has
/// it.
std::string bytes_of(const batch_to_node& batch,
                     const std::vector<std::string_view>& contents = {});

/// Returns a hello with an introduction as bytes.
std::string bytes_of(const hello& batch, const introduction& who);

/// Returns a rejection as bytes.
std::string bytes_of(rejection why);

/// Returns the message batch that the bytes represent; unset if they are not
/// exactly one. A hello and a rejection may be followed by further bytes, since
/// programs of all versions read them.
///
/// Cost:    O(bytes), also in memory, whatever sizes the bytes claim. Contents
///          are not copied.
/// Errors:  an ending must be `completed` or `crashed`, and a lease must be
///          above zero and at most one day. Other numbers are not checked.
std::optional<read_by_pool> read_batch_to_pool(std::string_view bytes);
/// Returns the batch that the bytes are; none if the bytes are not exactly one
/// batch.
std::optional<read_by_node> read_batch_to_node(std::string_view bytes);

} // namespace libpool
