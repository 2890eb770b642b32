#pragma once

#include <chrono>

namespace libpool {

/// What functions that show an object to an inspector of CAF's return.
template <class Inspector>
using inspection = bool;

/// A member of an object.
template <class T>
struct field {
  /// Name of the member.
  const char* name;
  /// The member.
  T& value;
};

/// Deduces the type of the member.
template <class T>
field(const char*, T&) -> field<T>;

namespace detail {

template <class Inspector, class T>
auto shown(Inspector& f, field<T> member) {
  return f.field(member.name, member.value);
}

/// CAF has no words for points in time but those of the system's clock.
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

/// Shows the members to an inspector.
template <class Inspector, class T, class... Ts>
bool inspect_fields(Inspector& f, T& object, const char* type,
                    field<Ts>... fields) {
  return f.object(object).pretty_name(type).fields(detail::shown(f, fields)...);
}

/// Shows values to an inspector that stand for the object. If it has given them
/// others, `load` makes the object of these.
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
