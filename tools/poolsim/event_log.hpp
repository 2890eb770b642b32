#pragma once

#include "result.hpp"
#include "scenario.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace poolsim {

/// Sum of the times during which something is paused.
class pause_clock {
public:
  void begin(duration now) {
    since_ = now;
  }

  void end(duration now) {
    sum_ += now - *since_;
    since_.reset();
  }

  bool is_on() const noexcept {
    return since_.has_value();
  }

  /// Returns the sum, for a simulation that ended at `now`.
  duration sum(duration now) const {
    return since_ ? sum_ + (now - *since_) : sum_;
  }

private:
  duration sum_{0};
  std::optional<duration> since_;
};

/// Events of users: events to come, and results of events that have happened.
class event_log {
public:
  explicit event_log(const scenario& scenario);

  /// Returns the time of the next event; unset if there is none.
  std::optional<duration> next() const;

  /// Returns the next event that is due, and adds its row; nullptr if none is.
  const user_event* take(duration now);

  /// Row of the last event that was taken.
  event_row& last() {
    return rows_.back();
  }

  /// Whether the worker or node is paused.
  bool is_paused(std::size_t worker) const {
    return workers_[worker].is_on();
  }

  /// Calls `is_quiet` with each pause that waits for running handlers, and
  /// records the time `now` for the pauses for which it returns true.
  template <class F>
  void note_quiet(duration now, F is_quiet) {
    auto has_ended = [&](std::size_t row) {
      auto result = is_quiet(scenario_.events[row]);
      if (result)
        rows_[row].quiet = now;
      return result;
    };
    awaited_.erase(std::remove_if(awaited_.begin(), awaited_.end(), has_ended),
                   awaited_.end());
  }

  /// Adds the rows and the times of pauses to the result, which has a row for
  /// each worker. `flows`: indices in the scenario of the flows of the result.
  void close(duration now, const std::vector<std::size_t>& flows,
             result& result) const;

private:
  pause_clock& clock_of(const user_event& event);
  void forget_awaited(const user_event& resumed);

  const scenario& scenario_;
  std::vector<event_row> rows_;
  std::vector<std::size_t> awaited_; // rows of pauses
  pause_clock pool_;
  std::vector<pause_clock> flows_;
  std::vector<pause_clock> workers_;
};

} // namespace poolsim
