#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/nodes/protocol/batches.hpp"
#include "libpool/nodes/protocol/node_link.hpp"

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
/// Two runs can answer a node at the same time: an older run that was suspended
/// and continues, and a later run. The node joins the later one. The clock of
/// the pool may have been set back before a restart, so the node joins a run
/// with a lower epoch when it has heard nothing of the other run for a lease.
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
  /// batch.
  verdict note(const batch_to_node& batch, std::uint64_t epoch,
               const node_link& link, instant now) noexcept {
    auto result = verdict_on(batch, epoch, link, now);
    if (result == verdict::stray)
      return result;
    if (std::holds_alternative<welcome>(batch.content) && !link.session())
      value_ = epoch;
    if (epoch >= highest_) {
      highest_ = epoch;
      heard_ = now;
    }
    return result;
  }

  /// Epoch to state in messages to the pool; 0 before the first session.
  std::uint64_t value() const noexcept {
    return value_;
  }

private:
  verdict verdict_on(const batch_to_node& batch, std::uint64_t epoch,
                     const node_link& link, instant now) const noexcept {
    auto counts = false;
    if (std::holds_alternative<welcome>(batch.content))
      counts = link.session() || epoch >= highest_
               || now >= later(heard_, link.lease());
    else if (epoch == value_)
      return verdict::of_run;
    else if (std::holds_alternative<gone>(batch.content))
      counts = ends_session(epoch, link, now);
    return counts ? verdict::of_any_run : verdict::stray;
  }

  /// Whether another run that does not know the session ends it. A run with a
  /// lower epoch ends the session if the lease has run out.
  bool ends_session(std::uint64_t epoch, const node_link& link,
                    instant now) const noexcept {
    return epoch > value_ || !link.has_lease(now);
  }

  std::uint64_t value_ = 0;
  std::uint64_t highest_ = 0; // of all runs that were heard
  instant heard_{};           // time of the last message of this run
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
