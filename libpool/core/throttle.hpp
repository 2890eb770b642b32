#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace libpool {

/// Maximum rate of starts, as a token bucket. In any time span t, at most
/// `burst` + t · `per_second` tasks go to workers.
struct rate {
  /// Mean number of starts per second, above 0.
  double per_second = 0;
  /// Maximum number of starts at once, at least 1; default: 1.
  std::size_t burst = 1;
};

/// Limits on the tasks that are at workers.
struct throttle {
  /// Maximum number of tasks at workers at the same time; unset: unlimited; 0:
  /// no task goes to a worker. With eager assignment, tasks that are assigned
  /// to a worker and were not sent count, too.
  std::optional<std::size_t> most_running = {};
  /// Maximum rate at which tasks go to workers; unset: unlimited.
  std::optional<rate> most_begun = {};

  /// Whether nothing is limited.
  bool is_empty() const noexcept {
    return !most_running && !most_begun;
  }
};

/// Limits on the tasks that are at workers, for a pool and for its flows.
struct throttles {
  /// Limits for all tasks together.
  throttle of_all = {};
  /// Limits for each flow that `of_flows` does not name.
  throttle of_each_flow = {};
  /// Limits for single flows, by the name of the flow.
  std::map<std::string, throttle> of_flows = {};

  /// Whether nothing is limited.
  bool is_empty() const noexcept {
    return of_all.is_empty() && of_each_flow.is_empty() && of_flows.empty();
  }
};

/// Returns why the limits are invalid, such as "most_begun: burst must be at
/// least 1, got 0"; unset: they are valid.
std::optional<std::string> objection_to(const throttles& within);

/// Whether any rate is limited.
bool limits_rate(const throttles& within) noexcept;

/// Counts starts against a `rate`, as the generic cell rate algorithm (ITU-T
/// I.371) does: with one point in time. A new bucket is full, and unlimited.
class token_bucket {
public:
  /// Replaces the maximum rate at the time `now`; unset: unlimited. As many
  /// tokens are missing as before.
  void change(const std::optional<rate>& limit, instant now) noexcept;

  /// Returns the time from which on a token can be taken; `instant::min()` if
  /// starts are unlimited.
  instant opens_at() const noexcept {
    return empty_until_ == instant::min() ? instant::min()
                                          : empty_until_ - tolerance_;
  }

  /// Whether the bucket is full at the time `now`.
  bool is_full(instant now) const noexcept {
    return interval_ == duration{0} || empty_until_ <= now;
  }

  /// Takes a token.
  /// @pre `opens_at() <= now`
  void take(instant now) noexcept {
    if (interval_ == duration{0})
      return;
    before_ = empty_until_;
    last_ = now;
    empty_until_ = later(std::max(empty_until_, now), interval_);
  }

  /// Gives back the token that was taken at the time `taken` and was not
  /// needed. The token is lost if another one was taken later.
  void give_back(instant taken) noexcept {
    if (taken != last_)
      return;
    empty_until_ = before_;
    last_ = never;
  }

private:
  duration interval_{0};                 // between two tokens; zero: unlimited
  duration tolerance_{0};                // by which tokens may be taken early
  instant empty_until_ = instant::min(); // when the bucket is full again
  instant before_ = instant::min();      // the same, before the last token
  instant last_ = never;                 // when the last token was taken
};

} // namespace libpool
