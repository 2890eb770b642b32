#include "libpool/core/moving_median.hpp"

#include <cassert>

namespace libpool {

moving_median::moving_median(std::size_t history) : last_(history) {
  assert(history > 0);
}

moving_median::~moving_median() {
  lower_.clear();
  upper_.clear();
}

void moving_median::add(duration sample) noexcept {
  auto& what = last_[oldest_];
  oldest_ = (oldest_ + 1) % last_.size();
  if (what.link.is_linked())
    take_out(what);
  what.value = sample;
  put_in(what);
  balance();
}

void moving_median::take_out(node& what) noexcept {
  auto& from = what.is_upper ? upper_ : lower_;
  from.erase(from.iterator_to(what));
}

void moving_median::put_in(node& what) noexcept {
  what.is_upper = !upper_.empty() && what.value >= upper_.begin()->value;
  (what.is_upper ? upper_ : lower_).insert(what);
}

/// Moves one sample, or two after one was exchanged, to the other half.
void moving_median::balance() noexcept {
  while (lower_.size() > upper_.size() + 1) {
    auto& last = *lower_.rbegin();
    take_out(last);
    last.is_upper = true;
    upper_.insert(upper_.begin(), last);
  }
  while (lower_.size() < upper_.size()) {
    auto& first = *upper_.begin();
    take_out(first);
    first.is_upper = false;
    lower_.insert(lower_.end(), first);
  }
}

} // namespace libpool
