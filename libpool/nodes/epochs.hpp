#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/nodes/batches.hpp"
#include "libpool/nodes/node_link.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace libpool {

// Each message batch states the epoch of a run of the pool (envelope.hpp). Both
// ends use it to ignore messages of other runs. Session numbers and task
// numbers of different runs can be equal.

/// The epoch of a node's session. It decides which message batches of pools the
/// node handles.
///
/// Cost:    O(1).
/// Threads: one at a time.
class node_epoch {
public:
  /// How to handle a message batch.
  enum class verdict : std::uint8_t {
    /// The batch is of the session's run, and its mark must be noted.
    of_run,
    /// The batch begins or ends a session, and its mark has no meaning.
    of_any_run,
    /// The batch must be ignored.
    stray,
  };

  /// Notes a message batch with the epoch `epoch`, before the link handles the
  /// batch. A welcome may come from any run of the pool.
  verdict note(const batch_to_node& batch, std::uint64_t epoch,
               const node_link& link, instant now) noexcept {
    if (std::holds_alternative<welcome>(batch.content)) {
      value_ = link.session() ? value_ : epoch;
      return verdict::of_any_run;
    }
    if (epoch == value_)
      return verdict::of_run;
    auto is_end = std::holds_alternative<gone>(batch.content)
                  && ends_session(epoch, link, now);
    return is_end ? verdict::of_any_run : verdict::stray;
  }

  /// Epoch to state in messages to the pool; 0 before the first session.
  std::uint64_t value() const noexcept {
    return value_;
  }

private:
  /// Whether another run that does not know the session ends it. A later run
  /// does. The clock of the pool may have been set back before a restart, so a
  /// run with a lower epoch ends the session, too, if the lease has run out.
  bool ends_session(std::uint64_t epoch, const node_link& link,
                    instant now) const noexcept {
    return epoch > value_ || !link.may_begin(now);
  }

  std::uint64_t value_ = 0;
};

/// Whether a message batch with the epoch `epoch` is for the run `own` of the
/// pool. A hello is for all runs.
inline bool is_for_run(const batch_to_pool& batch, std::uint64_t epoch,
                       std::uint64_t own) noexcept {
  return epoch == own || std::holds_alternative<hello>(batch.content);
}

/// Returns the answer to a message batch of a node that has not introduced
/// itself, or that is for another run of the pool. Unset unless the batch is a
/// beat.
inline std::optional<batch_to_node>
answer_to_stranger(const batch_to_pool& batch) {
  if (!std::holds_alternative<beat>(batch.content))
    return std::nullopt;
  return batch_to_node{batch.session, gone{batch.session}};
}

} // namespace libpool
