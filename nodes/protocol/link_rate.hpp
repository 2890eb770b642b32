#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace libpool {

/// Measured rate at which a connection transports contents, from the
/// confirmations of the other end. The value is the maximum of recent samples,
/// since a connection with little to transport looks slower than it is.
///
/// Source:  N. Cardwell et al., BBR, 2016: the delivery rate.
/// Cost:    O(1). At most 64 unconfirmed messages are recorded.
/// Errors:  a confirmation of more bytes than were sent counts as a
///          confirmation of all bytes.
class link_rate {
public:
  /// Notes that `bytes` bytes were sent.
  void sent(std::size_t bytes, instant now) {
    if (bytes == 0)
      return;
    auto is_idle = sent_ == confirmed_;
    sent_ += bytes;
    if (marks_.size() < most_marks)
      marks_.push_back({sent_, confirmed_, is_idle ? now : confirmed_at_});
  }

  /// Notes that the other end has received `total` bytes in all.
  void confirmed(std::uint64_t total, instant now) {
    confirmed_ = std::clamp(total, confirmed_, sent_);
    std::optional<mark> latest;
    while (!marks_.empty() && marks_.front().end <= confirmed_) {
      latest = marks_.front();
      marks_.pop_front();
    }
    confirmed_at_ = now;
    if (latest && now > latest->since)
      samples_[next_++ % samples_.size()] =
        static_cast<double>(confirmed_ - latest->before)
        / static_cast<double>((now - latest->since).count());
  }

  /// Rate in bytes per nanosecond; 0 if unknown.
  double value() const noexcept {
    return *std::max_element(samples_.begin(), samples_.end());
  }

  /// Expected time for `bytes` bytes, at most an hour; zero if unknown.
  duration time_for(double bytes) const noexcept {
    constexpr auto most = 3600e9;
    auto rate = value();
    return rate > 0 ? duration{static_cast<duration::rep>(
             std::min(bytes / rate, most))}
                    : duration{0};
  }

private:
  static constexpr std::size_t most_marks = 64;

  /// Record of a message that was sent. `end` is the total of bytes sent with
  /// it, and `before` the total confirmed at that time. `since` is the time of
  /// that confirmation; if nothing was in flight, the time of sending.
  struct mark {
    std::uint64_t end;
    std::uint64_t before;
    instant since;
  };

  std::uint64_t sent_ = 0;
  std::uint64_t confirmed_ = 0;
  instant confirmed_at_{};
  std::deque<mark> marks_;
  std::array<double, 8> samples_{};
  std::size_t next_ = 0;
};

} // namespace libpool
