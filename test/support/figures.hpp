#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/figure.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/reason_counts.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

// -- the number of fields of a struct, which no description tells -------------

struct anything {
  template <class T>
  operator T() const; // NOLINT(google-explicit-constructor): stands for a field
};

template <class T, std::size_t... Fields>
constexpr auto has_fields(std::index_sequence<Fields...>)
  -> decltype(T{(static_cast<void>(Fields), anything{})...}, true) {
  return true;
}

template <class T>
constexpr bool has_fields(...) {
  return false;
}

/// The number of fields of the aggregate; a base class counts as one.
template <class T, std::size_t Most = 64>
constexpr std::size_t field_count() {
  if constexpr (has_fields<T>(std::make_index_sequence<Most>{}))
    return Most;
  else
    return field_count<T, Most - 1>();
}

template <class Stats>
constexpr std::size_t figure_count() {
  std::size_t result = 0;
  libpool::for_each_figure<Stats>([&](const auto&) { ++result; });
  return result;
}

/// Whether each field is described. `Base`: the described base class.
template <class Stats, class Base = void>
constexpr bool describes_all_fields() {
  if constexpr (std::is_void_v<Base>)
    return figure_count<Stats>() == field_count<Stats>();
  else
    return figure_count<Stats>()
           == field_count<Stats>() - 1 + figure_count<Base>();
}

// -- structs with another value in each field ---------------------------------

/// Gives each figure another value.
struct filler {
  template <class T>
  void fill(T& value) {
    using namespace std::chrono_literals;
    if constexpr (libpool::is_described<T>)
      libpool::for_each_figure<T>(
        [&](const auto& each) { fill(value.*each.member); });
    else if constexpr (std::is_same_v<T, bool>)
      value = true;
    else if constexpr (std::is_arithmetic_v<T>)
      value = static_cast<T>(++last);
    else if constexpr (std::is_same_v<T, std::string>)
      value = "text " + std::to_string(++last);
    else if constexpr (std::is_same_v<T, libpool::duration>)
      value = ++last * 1ms;
    else if constexpr (std::is_same_v<T, libpool::instant>)
      value = libpool::instant{++last * 1s};
    else if constexpr (std::is_same_v<T, libpool::reason_counts>)
      value.add(libpool::errc::not_connected, ++last);
    else if constexpr (std::is_same_v<T, libpool::histogram>)
      value.record(++last * 1s);
  }

  /// A row with values, and one without.
  template <class T>
  void fill(std::vector<T>& rows) {
    fill(rows.emplace_back());
    rows.emplace_back();
  }

  unsigned last = 0;
};

/// Returns a struct with another value in each figure, but handles of actors.
template <class Stats>
Stats filled(unsigned from = 0) {
  Stats result;
  filler{from}.fill(result);
  return result;
}

} // namespace test
