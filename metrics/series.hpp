#pragma once

#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <functional>
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

  /// Adds a time series for each name in `rows`, with the sum of the values of
  /// the rows with this name.
  template <class Rows, class F>
  void add_each(const char* label_name, const Rows& rows, F value_of,
                std::initializer_list<label> more = {}) {
    add_folded(label_name, rows, value_of, std::plus<>{}, more);
  }

  /// Adds a time series for each name in `rows`, with the largest value of the
  /// rows with this name. Values must be at least 0.
  template <class Rows, class F>
  void add_largest(const char* label_name, const Rows& rows, F value_of) {
    auto larger = [](double x, double y) { return std::max(x, y); };
    add_folded(label_name, rows, value_of, larger, {});
  }

private:
  template <class Rows, class F, class Fold>
  void add_folded(const char* label_name, const Rows& rows, F value_of,
                  Fold fold, std::initializer_list<label> more) {
    std::map<std::string, double> values;
    for (const auto& each : rows) {
      auto& value = values[label_text(each.name)];
      value = fold(value, static_cast<double>(value_of(each)));
    }
    for (const auto& [name, value] : values) {
      add_value(value, more);
      last().label.push_back({label_name, name});
    }
  }

  void add_value(double value, std::initializer_list<label> more);
  prometheus::ClientMetric& append(std::initializer_list<label> more);

  prometheus::ClientMetric& last() {
    return family_.metric.back();
  }

  prometheus::MetricFamily& family_;
  const label owner_;
};

} // namespace libpool::detail
