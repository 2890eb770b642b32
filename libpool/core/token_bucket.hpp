#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/throttle.hpp"
#include "libpool/export.hpp"

#include <algorithm>
#include <optional>

namespace libpool {

/// Counts starts against a `rate`, as the generic cell rate algorithm (ITU-T
/// I.371) does: with one point in time. A new bucket is full, and unlimited.
class LIBPOOL_EXPORT token_bucket {
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
