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
  auto& entry = last_[oldest_];
  oldest_ = (oldest_ + 1) % last_.size();
  if (entry.link.is_linked())
    take_out(entry);
  entry.value = sample;
  put_in(entry);
  balance();
}

void moving_median::take_out(node& entry) noexcept {
  auto& part = entry.is_upper ? upper_ : lower_;
  part.erase(part.iterator_to(entry));
}

void moving_median::put_in(node& entry) noexcept {
  entry.is_upper = !upper_.empty() && entry.value >= upper_.begin()->value;
  (entry.is_upper ? upper_ : lower_).insert(entry);
}

/// Moves samples between the halves until their sizes are right: at most one
/// sample, or two after a replacement.
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
