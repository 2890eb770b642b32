#pragma once

#include "times.hpp"

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace poolsim {

/// Returns the time of a simulation as the library's type.
constexpr libpool::instant instant_of(duration time) noexcept {
  return libpool::instant{time};
}

/// Returns `time` plus `basis`, at most `duration::max()`.
inline duration after(duration time, duration basis) {
  return libpool::later(instant_of(time), basis).time_since_epoch();
}

/// One direction of a link. Messages leave one after the other, at the rate of
/// the bandwidth, and arrive in the same order.
template <class Message>
class one_way {
public:
  /// `bandwidth` is in bytes per second.
  explicit one_way(double bandwidth) : bandwidth_(bandwidth) {
    // nop
  }

  void send(Message message, std::size_t bytes, duration now,
            duration latency) {
    free_ = after(std::max(now, free_), time_for(bytes));
    auto arrives = after(free_, latency);
    if (!under_way_.empty())
      arrives = std::max(arrives, under_way_.back().first);
    under_way_.emplace_back(arrives, std::move(message));
  }

  /// Time at which the next message arrives; `duration::max()` if none is in
  /// flight.
  duration next() const noexcept {
    return under_way_.empty() ? duration::max() : under_way_.front().first;
  }

  std::optional<Message> take(duration now) {
    if (under_way_.empty() || next() > now)
      return std::nullopt;
    std::optional<Message> result{std::move(under_way_.front().second)};
    under_way_.pop_front();
    return result;
  }

  /// Drops the messages in flight.
  void clear() {
    under_way_.clear();
    free_ = duration{0};
  }

private:
  duration time_for(std::size_t bytes) const {
    auto result = std::ceil(static_cast<double>(bytes) / bandwidth_ * 1e9);
    if (result >= static_cast<double>(longest_time.count()))
      return longest_time;
    return duration{static_cast<std::int64_t>(result)};
  }

  double bandwidth_;
  duration free_{0};
  std::deque<std::pair<duration, Message>> under_way_;
};

} // namespace poolsim
