#pragma once

#include "libpool/policies/part.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <variant>

namespace test {

inline void set(const libpool::option& to, libpool::duration value) {
  std::get<libpool::time_option>(to.value).value.set(value);
}

inline void set(const libpool::option& to, double value) {
  std::get<libpool::number_option>(to.value).value.set(value);
}

inline void set(const libpool::option& to, std::size_t value) {
  if (const auto* seed = std::get_if<libpool::seed_option>(&to.value))
    *seed->value = value;
  else
    std::get<libpool::count_option>(to.value).value.set(value);
}

inline void set(const libpool::option& to, bool value) {
  *std::get<libpool::flag_option>(to.value).value = value;
}

inline void set(const libpool::option& to, libpool::hedge_delay value) {
  *std::get<libpool::delay_option>(to.value).value = value;
}

inline void set(const libpool::option& to, std::string_view name) {
  const auto& choice = std::get<libpool::choice_option>(to.value);
  auto i = std::find(choice.names.begin(), choice.names.end(), name);
  choice.set(static_cast<std::size_t>(i - choice.names.begin()));
}

/// Sets the option of that name; returns whether the part has it.
template <class Seam, class Value>
bool give(libpool::chosen<Seam>& part, std::string_view name, Value value) {
  auto all = part.options();
  auto its = std::find_if(all.begin(), all.end(),
                          [&](const auto& each) { return each.name == name; });
  if (its != all.end())
    set(*its, value);
  return its != all.end();
}

} // namespace test
