#pragma once

#include "times.hpp"

#include "libpool/core/throttle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace poolsim {

/// Maximum number of events of users in a scenario.
constexpr std::size_t most_events = 1'000'000;

/// Event of a user: a call that controls the pool.
struct user_event {
  /// Call of the user.
  enum class action : std::uint8_t { pause, resume, set_limits, cancel };

  duration at{0};
  action is = action::pause;
  /// Index of the flow in the scenario; unset: all flows.
  std::optional<std::size_t> flow;
  /// Number of the worker or node that is paused or resumed; unset: all.
  std::optional<std::size_t> worker;
  /// Kind of the tasks that are cancelled; unset: all kinds.
  std::optional<std::string> kind;
  /// New limits; nullptr if the event does not set limits. Repeated events
  /// share them.
  std::shared_ptr<const libpool::throttles> within;
  /// Index of the entry of `events` that describes the event.
  std::size_t entry = 0;

  /// Whether the event is about the whole pool.
  bool is_of_pool() const noexcept {
    return !flow && !worker && !kind;
  }
};

/// Share of the attempts at a task that are answered with an error.
struct error_share {
  /// Index of the error in the scenario.
  std::size_t error = 0;
  /// Sum of the probabilities of the error and of the errors before it.
  double up_to = 0;
};

/// Errors after which tasks are tried again.
struct retry_rule {
  /// Indices of these errors in the scenario, ascending; empty: all errors.
  std::vector<std::size_t> errors;
  /// Maximum number of attempts; unset: no other limit than the backoff.
  std::optional<unsigned> attempts;
  /// Time before the next attempt; zero: the backoff draws it.
  duration after{0};

  /// Whether a task is tried again whose attempt number `attempt`, counted from
  /// 1, was answered with the error.
  bool allows(std::size_t error, unsigned attempt) const {
    return (!attempts || attempt < *attempts)
           && (errors.empty()
               || std::binary_search(errors.begin(), errors.end(), error));
  }
};

} // namespace poolsim
