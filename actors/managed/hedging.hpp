#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

namespace libpool {

struct gather;

/// Decides when a second worker is asked to handle a message, if the plan has
/// patience, and counts these messages.
///
/// Cost: O(log n) while n messages wait for the end of the patience.
class hedging {
public:
  /// `plan` is the plan of the pool; may be nullptr.
  explicit hedging(std::shared_ptr<gather_plan> plan);

  bool has_patience() const noexcept {
    return plan_ != nullptr;
  }

  /// Notes a message that is handled by several tasks, or may be.
  void message_came() noexcept;

  /// Notes that the first worker has the message. Another worker is asked when
  /// the patience ends, unless the message is forgotten before.
  /// @pre has_patience()
  void first_was_asked(gather& message, instant now);

  /// Notes the time that the first worker has taken.
  /// @pre `first_was_asked` was called for the message
  void first_has_answered(duration time) noexcept;

  /// Cancels the request to a further worker.
  void forget(gather& message);

  /// Returns a message whose patience has ended, and forgets it; nullptr if
  /// there is none.
  gather* take_due(instant now);

  /// Time at which the next patience ends; `never` if none.
  instant next() const noexcept {
    return due_.empty() ? never : due_.begin()->first;
  }

  /// Whether the budget allows one more second worker.
  /// @pre a message was due
  bool has_budget() const noexcept;

  /// Notes that a second worker was asked.
  /// @pre a message was due
  void asked_another() noexcept;

  std::uint64_t messages() const noexcept {
    return messages_;
  }

  /// Number of messages for which a second worker was asked.
  std::uint64_t hedged() const noexcept {
    return hedged_;
  }

private:
  const std::shared_ptr<gather_plan> plan_; // nullptr without patience
  std::set<std::pair<instant, gather*>> due_;
  std::uint64_t messages_ = 0;
  std::uint64_t hedged_ = 0;
};

} // namespace libpool
