#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <caf/message.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Bounds of the batches of a pool, see `managed_options::batch`.
struct batch_bounds {
  /// Value of `bytes` with which batches have any size.
  static constexpr auto unlimited = static_cast<std::size_t>(-1);

  /// Maximum number of messages in a batch; at least 1.
  std::size_t most = 16;
  /// Maximum time that a message waits for others to join its batch; at least
  /// 0. While all workers are busy, messages join a batch until it is sent.
  duration wait = std::chrono::milliseconds{1};
  /// Maximum sum of the sizes of the messages in a batch, as the size function
  /// of `batch_of` returns them; at least 1. A larger message goes alone.
  /// Default: unlimited.
  std::size_t bytes = unlimited;
};

/// Type of the messages in batches: makes one message to a worker of several
/// messages of clients, and one answer for each client of the answer of the
/// worker. Made by `batch_of`.
///
/// Threads: any.
class LIBPOOL_EXPORT batch_type {
public:
  batch_type() = default;
  batch_type(const batch_type&) = delete;
  batch_type& operator=(const batch_type&) = delete;
  virtual ~batch_type() = default;

  /// Whether the message can be in a batch.
  virtual bool takes(const message_content& message) const noexcept = 0;

  /// Whether messages have sizes.
  virtual bool has_sizes() const noexcept = 0;

  /// Returns the size of the message in bytes; 0 if messages have no sizes.
  /// Throws what the size function of the user throws.
  /// @pre takes(message)
  virtual std::size_t size_of(const message_content& message) const = 0;

  /// Returns a message to a worker with copies of the contents of all these
  /// messages, in order. Throws what the copies throw.
  /// @pre takes(*messages[i])
  virtual caf::message
  compose(const std::vector<const message_content*>& messages) const = 0;

  /// Returns the answers to the `n` messages of a batch that a worker has
  /// answered with `answer`.
  ///
  /// Errors: `user_function_failed` if the answer has another type, or another
  ///         number of results than `n`.
  virtual std::vector<caf::message> divide(caf::message& answer,
                                           std::size_t n) const = 0;
};

/// Rule by which a pool sends messages to workers in batches, see
/// `managed_options::batch`.
struct batching : batch_bounds {
  /// Type of the messages in batches; not nullptr.
  std::shared_ptr<const batch_type> type;
};

/// Returns what is wrong with the rule: the name of the member, and its bound;
/// std::nullopt if nothing is.
LIBPOOL_EXPORT std::optional<std::string> objection_to(const batching& rule);

} // namespace libpool
