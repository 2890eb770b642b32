#pragma once

#include "libpool/metrics/series.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <string>
#include <utility>
#include <vector>

namespace libpool::detail {

constexpr auto counter = prometheus::MetricType::Counter;
constexpr auto gauge = prometheus::MetricType::Gauge;
constexpr auto distribution = prometheus::MetricType::Histogram;

/// Description of a metric: name without the prefix `libpool_`, type, meaning,
/// and a function that adds the time series of one pool or pipeline.
template <class Seen>
struct metric {
  const char* name;
  prometheus::MetricType type;
  const char* help;
  void (*add)(const Seen& of, series& to);
};

/// Appends a metric family for each metric of the table, with the time series
/// of the elements of `all` for which `has` returns true. Families without time
/// series are left out.
template <class Table, class Seen, class Predicate>
void append_families(const Table& table, const std::vector<Seen>& all,
                     Predicate has, std::vector<prometheus::MetricFamily>& to) {
  for (const auto& each : table) {
    prometheus::MetricFamily family;
    family.name = std::string{"libpool_"} + each.name;
    family.help = each.help;
    family.type = each.type;
    for (const auto& seen : all)
      if (has(seen)) {
        series mine{family, Seen::label, seen.name};
        each.add(seen, mine);
      }
    if (!family.metric.empty())
      to.push_back(std::move(family));
  }
}

} // namespace libpool::detail
