#include "seat_meter.hpp"

#include <algorithm>

namespace poolsim {

seat_meter::seat_meter(const scenario& scenario)
  : windows_(scenario.measure), measures_all_(scenario.measures_all) {
  if (measures_all_)
    windows_.emplace_back(duration{0}, duration::max());
  sums_.resize(scenario.flows.size() * windows_.size());
}

void seat_meter::add(const task_run& run) {
  auto* sum = sums_.data() + run.flow * windows_.size();
  for (const auto& [from, to] : windows_) {
    auto overlap = std::min(to, run.ended) - std::max(from, run.started);
    if (overlap > duration{0})
      *sum += static_cast<seat_time>(overlap.count()) * run.seats;
    ++sum;
  }
}

std::vector<double> seat_meter::means(std::size_t flow, duration now) const {
  std::vector<double> result;
  const auto* sum = sums_.data() + flow * windows_.size();
  for (const auto& [from, to] : windows_) {
    auto length = measures_all_ ? now : to - from;
    result.push_back(length == duration{0}
                       ? 0
                       : static_cast<double>(*sum)
                           / static_cast<double>(length.count()));
    ++sum;
  }
  return result;
}

} // namespace poolsim
