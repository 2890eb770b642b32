#include "libpool/core/restarts.hpp"

#include <algorithm>

namespace libpool {

namespace {

/// Returns `pause` doubled `times` times, at most `most`. The loop needs at
/// most as many steps as a duration has bits.
duration doubled(duration pause, std::size_t times, duration most) {
  for (; times > 0 && pause > duration{0} && pause < most; --times)
    pause = pause > most / 2 ? most : pause * 2;
  return std::min(pause, most);
}

} // namespace

std::optional<instant> restarts::crashed(instant now) {
  while (!recent_.empty() && now - recent_.front() >= limits_.period)
    recent_.pop_front();
  if (recent_.size() >= limits_.max)
    return std::nullopt;
  auto pause = doubled(limits_.pause, recent_.size(), limits_.longest_pause);
  recent_.push_back(now);
  return later(now, pause);
}

} // namespace libpool
