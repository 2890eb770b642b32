#pragma once

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/none.hpp>

namespace libpool {

/// What functions that show an object to an inspector of CAF's return.
template <class Inspector>
using inspection = typename Inspector::result_type;

/// A member of an object.
template <class T>
struct field {
  const char* name;
  T& value;
};

template <class T>
field(const char*, T&) -> field<T>;

/// Shows the members to an inspector.
template <class Inspector, class T, class... Ts>
inspection<Inspector> inspect_fields(Inspector& f, T&, const char* type,
                                     field<Ts>... fields) {
  return f(caf::meta::type_name(type), fields.value...);
}

/// Shows values to an inspector that stand for the object. If it has given them
/// others, `load` makes the object of these.
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
