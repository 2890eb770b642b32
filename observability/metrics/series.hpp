#pragma once

#include "libpool/core/figure.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace libpool::detail {

using label = prometheus::ClientMetric::Label;

inline double seconds(duration time) {
  return static_cast<double>(time.count()) / 1e9;
}

/// Returns the text with U+FFFD in place of bytes that are not UTF-8. Because
/// of such bytes, Prometheus would reject all time series.
std::string label_text(std::string_view text);

/// Time series of one pool or pipeline in a metric family.
class series {
public:
  /// Adds time series to `family`, each with a label that names the owner: the
  /// pool or the pipeline.
  series(prometheus::MetricFamily& family, const char* owner_label,
         const std::string& owner)
    : family_(family), owner_{owner_label, owner} {
    // nop
  }

  template <class Number>
  void add(Number value, std::initializer_list<label> more = {}) {
    add_value(static_cast<double>(value), more);
  }

  /// Adds a histogram in seconds, with one time series for each of the bounds
  /// 2^10, 2^11, … 2^36 ns.
  void add(const histogram& times, duration sum);

  /// Adds a number, with the label of the metric if it has one.
  void add_labelled(double value, const figure_metric& metric) {
    if (metric.label == nullptr)
      add_value(value, {});
    else
      add_value(value, {{metric.label, metric.label_value}});
  }

  /// Adds a time series for each name in `rows`. Its value is the sum of the
  /// values of the rows with this name; the largest value if these are ages.
  template <class Rows, class F, class Figure>
  void add_rows(const char* label_name, const Rows& rows, F value_of,
                const Figure& shown) {
    std::map<std::string, double> values;
    for (const auto& each : rows) {
      auto& value = values[label_text(each.name)];
      value = shown.kind == figure_kind::age ? std::max(value, value_of(each))
                                             : value + value_of(each);
    }
    for (const auto& [name, value] : values) {
      add_labelled(value, shown.metric);
      last().label.push_back({label_name, name});
    }
  }

private:
  void add_value(double value, std::initializer_list<label> more);
  prometheus::ClientMetric& append(std::initializer_list<label> more);

  prometheus::ClientMetric& last() {
    return family_.metric.back();
  }

  prometheus::MetricFamily& family_;
  const label owner_;
};

} // namespace libpool::detail
