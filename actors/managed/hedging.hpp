#pragma once

#include "libpool/actors/gathering.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace libpool {

struct gather;

/// When messages that one worker has are given to a second one as well, and how
/// many of them may be.
///
/// Cost: O(log n) where n messages wait for their delay to pass.
class hedging {
public:
  /// `how` is what the pool gathers, if it does.
  explicit hedging(std::shared_ptr<const gathering> how)
    : how_(std::move(how)) {
    // nop
  }

  /// A message has come that is handled by several tasks, or may be.
  void message_came() noexcept {
    ++messages_;
  }

  /// The first worker has the message: another one is asked when the delay has
  /// passed, unless it is forgotten before.
  void first_was_asked(gather& message, instant now);

  /// The first worker has taken that long.
  void first_has_answered(duration time) noexcept;

  /// Nobody else is to be asked.
  void forget(gather& message);

  /// A message whose delay has passed; nullptr if there is none.
  gather* take_due(instant now);

  /// When the next delay has passed.
  instant next() const noexcept {
    return due_.empty() ? never : due_.begin()->first;
  }

  /// Whether one more second worker may be asked.
  bool has_budget() const noexcept;

  /// A second worker was asked.
  void asked_another() noexcept {
    ++hedged_;
  }

  std::uint64_t messages() const noexcept {
    return messages_;
  }

  /// How many messages a second worker was asked to handle.
  std::uint64_t hedged() const noexcept {
    return hedged_;
  }

private:
  std::optional<duration> delay() const;

  std::shared_ptr<const gathering> how_;
  std::set<std::pair<instant, gather*>> due_;
  histogram answers_; // how long first workers took
  std::uint64_t messages_ = 0;
  std::uint64_t hedged_ = 0;
};

} // namespace libpool
