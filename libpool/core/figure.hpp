/// Descriptions of figures: numbers and times that pools tell about themselves.
/// CAF's inspection, differences, JSON and metrics are made from them.

#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace libpool {

/// Meaning of the values of a figure. `counter`: a count or a sum since the
/// start. `gauge`: a present value. `age`: the time since an event, of which
/// the largest counts where others are added.
enum class figure_kind : std::uint8_t { counter, gauge, age };

/// Value of a figure that stands for an unknown or unlimited value.
enum class no_value : std::uint8_t { none, zero, largest };

/// Metric that shows a figure.
struct figure_metric {
  /// Name without the prefix `libpool_`; nullptr if no metric shows the figure.
  /// Figures with the same name, which must be neighbours, share a metric.
  const char* name = nullptr;
  /// Meaning of the metric, in the first figure of the metric.
  const char* help = "";
  /// Label of the time series; nullptr if the metric has one time series.
  const char* label = nullptr;
  /// Value of the label.
  const char* label_value = nullptr;
};

/// Description of the member of type `T` of the struct `Stats`.
template <class Stats, class T>
struct figure {
  /// Type of the member.
  using value_type = T;

  /// Name of the member.
  const char* name = nullptr;
  /// Pointer to the member.
  T Stats::*member = nullptr;
  /// Meaning of the values.
  figure_kind kind = figure_kind::gauge;
  /// Metric that shows the figure. Its label, if the member is a list of
  /// described rows, is the label with the names of rows.
  figure_metric metric = {};
  /// Name in JSON; nullptr if JSON is without the figure, empty if the figures
  /// of the member are among those of `Stats`. Durations are in milliseconds if
  /// the name ends with `_ms`, otherwise in seconds.
  const char* json_name = name;
  /// Value that is null in JSON and has no time series.
  no_value unset = no_value::none;
  /// Sum of the durations in a histogram.
  duration Stats::*sum = nullptr;
  /// Member that is false if the value is unknown; nullptr if the value is
  /// always known. An unknown value is null in JSON and has no time series.
  bool Stats::*is_known = nullptr;

  /// Returns the description with another name in JSON.
  constexpr figure json(const char* other) const noexcept {
    return with(&figure::json_name, other);
  }

  /// Returns the description of a figure that JSON is without.
  constexpr figure not_in_json() const noexcept {
    return json(nullptr);
  }

  /// Returns the description with a value that stands for none.
  constexpr figure null_if(no_value none) const noexcept {
    return with(&figure::unset, none);
  }

  /// Returns the description of a value that is unknown if `known` is false.
  constexpr figure unknown_unless(bool Stats::*known) const noexcept {
    return with(&figure::is_known, known);
  }

  /// Returns the description with a label of the metric. The value of the label
  /// is the name of the figure, if it is not given.
  constexpr figure by(const char* label,
                      const char* value = nullptr) const noexcept {
    return with(&figure::metric, {metric.name, metric.help, label,
                                  value == nullptr ? name : value});
  }

  /// Returns the description of a histogram with the sum of its durations.
  constexpr figure with_sum(duration Stats::*other) const noexcept {
    return with(&figure::sum, other);
  }

  /// Whether the value in `stats` is unknown or stands for none.
  constexpr bool is_unset_in(const Stats& stats) const {
    if (is_known != nullptr && !(stats.*is_known))
      return true;
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, duration>)
      return unset != no_value::none
             && stats.*member
                  == (unset == no_value::zero ? T{}
                                              : std::numeric_limits<T>::max());
    return false;
  }

private:
  template <class Value>
  constexpr figure with(Value figure::*what,
                        const std::common_type_t<Value>& other) const noexcept {
    auto result = *this;
    result.*what = other;
    return result;
  }
};

/// Returns the description of a count or sum since the start. `metric` and
/// `help`: the metric that shows it, if any, and its meaning.
template <class Stats, class T>
constexpr figure<Stats, T> counter(const char* name, T Stats::*member,
                                   const char* metric = nullptr,
                                   const char* help = "") {
  return {name, member, figure_kind::counter, {metric, help}};
}

/// Returns the description of a present value, like `counter`.
template <class Stats, class T>
constexpr figure<Stats, T> gauge(const char* name, T Stats::*member,
                                 const char* metric = nullptr,
                                 const char* help = "") {
  return {name, member, figure_kind::gauge, {metric, help}};
}

/// Returns the description of the time of an event, or of the time since it,
/// like `counter`.
template <class Stats, class T>
constexpr figure<Stats, T> age(const char* name, T Stats::*member,
                               const char* metric = nullptr,
                               const char* help = "") {
  return {name, member, figure_kind::age, {metric, help}};
}

/// The figures of the struct `Stats`: a function `visit(f)` that returns the
/// result of `f`, called once with the name of the struct and the descriptions
/// of all members, including members of base classes. A function takes less
/// time to compile than a tuple.
template <class Stats>
struct description;

/// Whether the figures of `Stats` are described.
template <class Stats, class = void>
inline constexpr bool is_described = false;

template <class Stats>
inline constexpr bool
  is_described<Stats, std::void_t<decltype(sizeof(description<Stats>))>> = true;

/// Calls `f` with the description of each figure of `Stats`.
template <class Stats, class F>
constexpr void for_each_figure(F f) {
  description<Stats>::visit(
    [&](const char*, const auto&... each) { (f(each), ...); });
}

} // namespace libpool
