#pragma once

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/none.hpp>

namespace libpool {

/// Result type of functions that show an object to an inspector of CAF.
template <class Inspector>
using inspection = typename Inspector::result_type;

/// A named member of an object.
template <class T>
struct field {
  /// Name of the member.
  const char* name;
  /// The member.
  T& value;
};

/// Takes the type of the member.
template <class T>
field(const char*, T&) -> field<T>;

/// Shows members of an object to an inspector of CAF.
template <class Inspector, class T, class... Ts>
inspection<Inspector> inspect_fields(Inspector& f, T&, const char* type,
                                     field<Ts>... fields) {
  return f(caf::meta::type_name(type), fields.value...);
}

/// Shows values that represent an object to an inspector of CAF. If the
/// inspector has changed the values, `load` makes the object from the new
/// values.
template <class Inspector, class T, class Load, class... Ts>
inspection<Inspector> inspect_values(Inspector& f, T&, const char* type,
                                     Load load, field<Ts>... fields) {
  auto loaded = [&]() -> caf::error {
    load();
    return caf::none;
  };
  return f(caf::meta::type_name(type), fields.value...,
           caf::meta::load_callback(loaded));
}

} // namespace libpool
