#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

namespace libpool {

struct gather;

/// When messages that one worker has are given to a second one as well, where
/// the plan has patience, and how many were.
///
/// Cost: O(log n) where n messages wait for patience to end.
class hedging {
public:
  /// `plan` is that of the pool, if it has one.
  explicit hedging(std::shared_ptr<gather_plan> plan);

  bool has_patience() const noexcept {
    return plan_ != nullptr;
  }

  /// A message has come that is handled by several tasks, or may be.
  void message_came() noexcept;

  /// The first worker has the message: another one is asked when patience ends,
  /// unless the message is forgotten before.
  /// @pre it has patience
  void first_was_asked(gather& message, instant now);

  /// The first worker has taken that long.
  /// @pre `first_was_asked` has noted when it was asked
  void first_has_answered(duration time) noexcept;

  /// No further worker is to be asked.
  void forget(gather& message);

  /// A message with which patience has ended; nullptr if there is none.
  gather* take_due(instant now);

  /// When patience ends next.
  instant next() const noexcept {
    return due_.empty() ? never : due_.begin()->first;
  }

  /// Whether one more second worker may be asked.
  /// @pre a message was due
  bool has_budget() const noexcept;

  /// A second worker was asked.
  /// @pre a message was due
  void asked_another() noexcept;

  std::uint64_t messages() const noexcept {
    return messages_;
  }

  /// How many messages a second worker was asked to handle.
  std::uint64_t hedged() const noexcept {
    return hedged_;
  }

private:
  const std::shared_ptr<gather_plan> plan_; // nullptr if it has no patience
  std::set<std::pair<instant, gather*>> due_;
  std::uint64_t messages_ = 0;
  std::uint64_t hedged_ = 0;
};

} // namespace libpool
