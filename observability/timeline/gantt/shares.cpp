#include "libpool/observability/timeline/gantt/shares.hpp"

#include "libpool/observability/timeline/gantt/look.hpp"

#include <algorithm>
#include <functional>

namespace libpool::detail {

column_shares::column_shares(std::size_t columns)
  : columns_(columns), colours_(palette.size()) {
  for (auto& each : colours_) {
    each.part.resize(columns + 2);
    each.change.resize(columns + 2);
  }
}

void column_shares::add(std::size_t colour, double source, double target) {
  auto& subject = colours_[colour];
  source *= static_cast<double>(columns_);
  target *= static_cast<double>(columns_);
  auto first = static_cast<std::size_t>(source);
  auto last = static_cast<std::size_t>(target);
  ++subject.count;
  subject.part[first] -= source - static_cast<double>(first);
  subject.part[last] += target - static_cast<double>(last);
  ++subject.change[first];
  --subject.change[last];
}

std::vector<double> column_shares::of(std::size_t colour) const {
  std::vector<double> out;
  std::int64_t whole = 0;
  for (std::size_t i = 0; i < columns_; ++i) {
    whole += colours_[colour].change[i];
    out.push_back(static_cast<double>(whole) + colours_[colour].part[i]);
  }
  return out;
}

double column_shares::most() const {
  std::vector<double> sums(columns_);
  for (std::size_t colour = 0; colour < palette.size(); ++colour)
    add_to(sums, of(colour));
  return *std::max_element(sums.begin(), sums.end());
}

void column_shares::add_to(std::vector<double>& sums,
                           const std::vector<double>& more) {
  std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(),
                 std::plus<>{});
}

} // namespace libpool::detail
