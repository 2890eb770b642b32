#include "sizing.hpp"

#include <algorithm>

namespace poolsim {

using libpool::instant;

void sizing::were_busy(std::size_t busy, instant until) {
  used_.resize(std::max(used_.size(), busy));
  std::fill_n(used_.begin(), busy, until);
}

std::size_t sizing::decide(const libpool::pool_load& load, std::size_t wanted,
                           instant now) {
  if (!rule_.idle)
    return scaler_.decide(load, wanted, now);
  used_.resize(std::max(used_.size(), wanted), now);
  auto has_come = load.arrived > arrived_;
  arrived_ = load.arrived;
  auto is_held = rule_.one_by_one && load.workers < wanted;
  auto lacks_worker = load.waiting + load.busy > load.workers;
  if (has_come && lacks_worker && !is_held && wanted < rule_.most) {
    used_.resize(wanted); // of workers that have ended
    used_.push_back(libpool::later(now, rule_.startup));
    return wanted + 1;
  }
  while (next(load, wanted) <= now)
    --wanted;
  return wanted;
}

instant sizing::next(const libpool::pool_load& load,
                     std::size_t wanted) const noexcept {
  if (!rule_.idle)
    return scaler_.next(load, wanted);
  return wanted > std::max(rule_.least, load.busy) && wanted <= used_.size()
           ? libpool::later(used_[wanted - 1], *rule_.idle)
           : libpool::never;
}

} // namespace poolsim
