#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/policies/hedge_delay.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace libpool {

/// The place of a value in a struct of options, which may have none if it is
/// optional there.
template <class T>
class option_slot {
public:
  option_slot(T& value) noexcept : value_(&value) {
    // nop
  }

  option_slot(std::optional<T>& value) noexcept : value_(&value) {
    // nop
  }

  std::optional<T> get() const {
    return std::visit([](auto* value) { return std::optional<T>{*value}; },
                      value_);
  }

  void set(T to) const {
    std::visit([to](auto* value) { *value = to; }, value_);
  }

private:
  std::variant<T*, std::optional<T>*> value_;
};

/// A number of things, from `least` to `most`.
struct count_option {
  option_slot<std::size_t> value;
  std::size_t least = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// The seed of random draws; any number will do.
struct seed_option {
  std::uint64_t* value;
};

/// A time, above or at 0.
struct time_option {
  option_slot<duration> value;
  bool may_be_zero = false;
};

/// A number above a bound, and at most another one.
struct number_option {
  option_slot<double> value;
  double above = 0;
  double most = std::numeric_limits<double>::infinity();
};

struct flag_option {
  bool* value;
};

struct delay_option {
  hedge_delay* value;
};

/// One of several values that have names.
struct choice_option {
  std::vector<std::string_view> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

/// Numbers above 0 by name.
struct shares_option {
  std::map<std::string, double>* value;
};

using option_value =
  std::variant<count_option, seed_option, time_option, number_option,
               flag_option, delay_option, choice_option, shares_option>;

/// One option of a policy: its name, its bounds and its place in a struct of
/// options, described once for all code that checks, reads or lists options.
struct option {
  std::string_view name;
  option_value value;
  std::string_view meaning;
  /// The meaning of an optional value that is not given.
  std::string_view if_none = {};
};

/// The enumerators of `value`, which count from 0, have these names.
template <class Enum>
choice_option choice(Enum& value, std::vector<std::string_view> names) {
  return {std::move(names),
          [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}

/// The bound as texts name it, such as "at least 1"; empty if there is none.
std::string bound_of(const option_value& value);

/// The value as texts name it, such as "10s"; empty if there is none.
std::string text_of(const option_value& value);

/// Errors: std::invalid_argument names the option and its bound, where the
///         value is beyond it.
void check(const option& each);

/// The options that a struct of them has, in its order: the one list of their
/// names, bounds and meanings. Each such struct overloads this.
inline std::vector<option> options_in(std::monostate&) {
  return {};
}

/// Errors: std::invalid_argument names the first option that is out of bounds.
template <class Options>
void check_each(Options given) {
  for (const auto& each : options_in(given))
    check(each);
}

} // namespace libpool
