#pragma once

#include "libpool/core/instant.hpp"

#include <cstddef>
#include <limits>
#include <optional>

namespace libpool {

/// Options of a pool that need a task for each message as soon as it arrives.
/// If any of them is set, messages are not leased.
struct lease_obstacles {
  /// Each message is handled by several tasks.
  bool gathers = false;
  /// A new message can replace the oldest waiting message.
  bool drops_oldest = false;
  /// A task lasts until its answer, which may come after its handler has ended.
  bool late_answers = false;
  /// Tasks have keys, and the policy does not choose the worker on arrival.
  bool keys = false;
  /// Tasks have homes, restrictions, estimates or costs of moves.
  bool places = false;
  /// Tasks take several seats, or workers have several seats.
  bool seats = false;
  /// Mailboxes of workers have more than one task.
  bool windows = false;
  /// Workers are on other machines.
  bool nodes = false;

  /// Whether any option is set.
  constexpr bool any() const noexcept {
    return gathers || drops_oldest || late_answers || keys || places || seats
           || windows || nodes;
  }
};

/// Limits on the messages that wait in a pool.
struct waiting_bounds {
  /// Maximum number of waiting messages; default: unlimited.
  std::size_t capacity = std::numeric_limits<std::size_t>::max();
  /// Time from acceptance after which a message that has not ended is
  /// cancelled; unset: unlimited.
  std::optional<duration> deadline = std::nullopt;
  /// Whether messages have deadlines of their own, which are told when they
  /// are added and count in place of `deadline`.
  bool own_deadlines = false;
};

} // namespace libpool
