#pragma once

#include <chrono>

namespace libpool {

/// Result type of functions that show an object to an inspector of CAF.
template <class Inspector>
using inspection = bool;

/// A named member of an object.
template <class T>
struct field {
  /// Name of the member.
  const char* name;
  /// The member.
  T& value;
};

template <class T>
field(const char*, T&) -> field<T>;

namespace detail {

template <class Inspector, class T>
auto shown(Inspector& f, field<T> member) {
  return f.field(member.name, member.value);
}

/// Shows a point in time of the steady clock as a duration. CAF can inspect
/// only points in time of the system clock.
template <class Inspector>
auto shown(Inspector& f, field<std::chrono::steady_clock::time_point> member) {
  using time_point = std::chrono::steady_clock::time_point;
  auto& time = member.value;
  return f.field(
    member.name, [&time] { return time.time_since_epoch(); },
    [&time](time_point::duration since) {
      time = time_point{since};
      return true;
    });
}

} // namespace detail

/// Shows members of an object to an inspector of CAF.
template <class Inspector, class T, class... Ts>
bool inspect_fields(Inspector& f, T& object, const char* type,
                    field<Ts>... fields) {
  return f.object(object).pretty_name(type).fields(detail::shown(f, fields)...);
}

/// Shows values that represent an object to an inspector of CAF. If the
/// inspector has changed the values, `load` makes the object from the new
/// values.
template <class Inspector, class T, class Load, class... Ts>
bool inspect_values(Inspector& f, T& object, const char* type, Load load,
                    field<Ts>... fields) {
  auto loaded = [&load] {
    load();
    return true;
  };
  return f.object(object).pretty_name(type).on_load(loaded).fields(
    detail::shown(f, fields)...);
}

} // namespace libpool
