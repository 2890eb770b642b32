#pragma once

#include "libpool/observability/metrics/metrics_collector.hpp"

#include <doctest/doctest.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// What one scrape of a collector has seen.
class scrape {
public:
  using label = prometheus::ClientMetric::Label;
  using labels = std::vector<label>;

  explicit scrape(const libpool::metrics_collector& of)
    : families_(of.Collect()) {
    // nop
  }

  /// The value of the series of the pool or pipeline "p" that has these labels
  /// besides, in their order.
  double operator()(const std::string& name, const labels& more = {}) const {
    const auto& all = family(name);
    const auto& one = series(name, more);
    return all.type == prometheus::MetricType::Counter ? one.counter.value
                                                       : one.gauge.value;
  }

  bool has(const std::string& name) const {
    return find(name) != families_.end();
  }

  /// Of all pools together.
  std::size_t number_of_series(const std::string& name) const {
    return has(name) ? family(name).metric.size() : 0;
  }

  /// The names of all metrics, each with its type.
  std::vector<std::pair<std::string, prometheus::MetricType>> types() const {
    std::vector<std::pair<std::string, prometheus::MetricType>> result;
    for (const auto& each : families_)
      result.emplace_back(each.name, each.type);
    return result;
  }

private:
  using families = std::vector<prometheus::MetricFamily>;

  families::const_iterator find(const std::string& name) const {
    return std::find_if(
      families_.begin(), families_.end(),
      [&](const auto& each) { return each.name == "libpool_" + name; });
  }

  const prometheus::MetricFamily& family(const std::string& name) const {
    auto result = find(name);
    REQUIRE_MESSAGE(result != families_.end(), "no family ", name);
    return *result;
  }

  const prometheus::ClientMetric& series(const std::string& name,
                                         const labels& more) const {
    const auto& all = family(name).metric;
    auto result = std::find_if(all.begin(), all.end(), [&](const auto& each) {
      return each.label.front().value == "p"
             && labels(each.label.begin() + 1, each.label.end()) == more;
    });
    REQUIRE_MESSAGE(result != all.end(), "no such series of ", name);
    return *result;
  }

  families families_;
};

} // namespace test
