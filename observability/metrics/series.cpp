#include "libpool/observability/metrics/series.hpp"

#include "libpool/observability/timeline/text.hpp"

#include <prometheus/metric_type.h>

namespace libpool::detail {

std::string label_text(std::string_view text) {
  std::string result;
  each_character(text, [&](std::string_view each) { result += each; });
  return result;
}

prometheus::ClientMetric& series::append(std::initializer_list<label> more) {
  auto& result = family_.metric.emplace_back();
  result.label.push_back(owner_);
  result.label.insert(result.label.end(), more);
  return result;
}

void series::add_value(double value, std::initializer_list<label> more) {
  auto& metric = append(more);
  if (family_.type == prometheus::MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
}

void series::add(const histogram& times, duration sum) {
  constexpr unsigned first = 10;
  constexpr unsigned last = 36;
  auto& target = append({}).histogram;
  target.sample_count = times.count();
  target.sample_sum = seconds(sum);
  for (auto exponent = first; exponent <= last; ++exponent)
    target.bucket.push_back({times.count_below(exponent),
                             seconds(duration{duration::rep{1} << exponent})});
}

} // namespace libpool::detail
