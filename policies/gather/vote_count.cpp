#include "libpool/policies/gather/vote_count.hpp"

#include <algorithm>

namespace libpool {

void vote_count::began(std::size_t tasks, instant now) noexcept {
  needed_ = rules_.is_lenient ? std::min<std::size_t>(tasks, 1)
                              : rules_.needed.value_or(tasks);
  successes_ = 0;
  outstanding_ = tasks;
  expires_ = rules_.timeout ? later(now, *rules_.timeout) : never;
  is_late_ = false;
}

void vote_count::asked_another(instant) noexcept {
  ++outstanding_;
}

void vote_count::succeeded(std::size_t, instant) noexcept {
  ++successes_;
  --outstanding_;
}

void vote_count::failed(std::size_t, instant) noexcept {
  --outstanding_;
}

void vote_count::removed(std::size_t, instant) noexcept {
  --outstanding_;
  if (!rules_.needed && needed_ > 1)
    --needed_;
}

void vote_count::time_passed(instant now) noexcept {
  is_late_ = now >= expires_;
}

verdict vote_count::decide() const noexcept {
  if (rules_.is_lenient && outstanding_ > 0 && !is_late_)
    return verdict::wait();
  if (successes_ >= needed_)
    return verdict::answer();
  if (successes_ + outstanding_ < needed_)
    return verdict::too_few(needed_);
  return is_late_ ? verdict::fail(errc::timeout) : verdict::wait();
}

instant vote_count::next_tick() const noexcept {
  return is_late_ ? never : expires_;
}

} // namespace libpool
