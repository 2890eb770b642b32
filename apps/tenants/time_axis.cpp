#include "time_axis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace tenants {

namespace {

using libpool::duration;

/// Maximum number of labels that do not touch each other.
constexpr std::size_t most_labels = 10;

constexpr duration shortest = std::chrono::microseconds{1};
constexpr duration longest = std::chrono::hours{24};

/// From 1 us on, 1, 2 and 5 times each power of ten.
std::vector<duration> all_ticks() {
  std::vector<duration> out;
  for (auto power = shortest; power <= longest; power *= 10)
    for (const auto times : {1, 2, 5})
      out.push_back(power * times);
  return out;
}

bool is_power_of_ten(duration time) {
  auto rest = time.count();
  while (rest % 10 == 0)
    rest /= 10;
  return rest == 1;
}

double logarithm(duration time) {
  return std::log(static_cast<double>(time.count()));
}

} // namespace

/// Goes from the last tick well below the least time to the first one well
/// above the most.
time_axis::time_axis(duration least, duration most, pixels left, pixels right)
  : left_(left), right_(right) {
  const auto all = all_ticks();
  const auto below = std::upper_bound(all.begin() + 1, all.end() - 1,
                                      std::max(least, shortest) * 2 / 3);
  const auto above = std::lower_bound(below, all.end() - 1,
                                      std::min(most, longest) * 3 / 2);
  ticks_.assign(below - 1, above + 1);
}

std::vector<duration> time_axis::labels() const {
  if (ticks_.size() <= most_labels)
    return ticks_;
  std::vector<duration> out;
  std::copy_if(ticks_.begin(), ticks_.end(), std::back_inserter(out),
               is_power_of_ten);
  return out;
}

pixels time_axis::place_of(duration time) const {
  const auto inside = std::clamp(time, ticks_.front(), ticks_.back());
  const auto begin = logarithm(ticks_.front());
  const auto share = (logarithm(inside) - begin)
                     / (logarithm(ticks_.back()) - begin);
  return left_ + share * (right_ - left_);
}

} // namespace tenants
