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

/// Refers to a value in a struct of options, which may be optional there.
template <class T>
class option_slot {
public:
  /// Refers to a value that is always set.
  option_slot(T& value) noexcept : value_(&value) {
    // nop
  }

  /// Refers to a value that may be unset.
  option_slot(std::optional<T>& value) noexcept : value_(&value) {
    // nop
  }

  /// Returns the value; none if it is unset.
  std::optional<T> get() const {
    return std::visit([](auto* value) { return std::optional<T>{*value}; },
                      value_);
  }

  /// Sets the value.
  void set(T to) const {
    std::visit([to](auto* value) { *value = to; }, value_);
  }

private:
  std::variant<T*, std::optional<T>*> value_;
};

/// A count from `least` to `most`, inclusive.
struct count_option {
  /// Location of the value, in a struct of options.
  option_slot<std::size_t> value;
  /// Minimum.
  std::size_t least = 0;
  /// Maximum.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// The seed of random draws; unbounded.
struct seed_option {
  /// Location of the value, in a struct of options.
  std::uint64_t* value;
};

/// A time above 0, or at least 0 if `may_be_zero`.
struct time_option {
  /// Location of the value, in a struct of options.
  option_slot<duration> value;
  /// Whether 0 is allowed.
  bool may_be_zero = false;
};

/// A number above `above` and at most `most`.
struct number_option {
  /// Location of the value, in a struct of options.
  option_slot<double> value;
  /// Bound that the number must exceed.
  double above = 0;
  /// Maximum.
  double most = std::numeric_limits<double>::infinity();
};

/// A value that is true or false.
struct flag_option {
  /// Location of the value, in a struct of options.
  bool* value;
};

/// The delay of a hedged message: a time above 0, or a percentile.
struct delay_option {
  /// Location of the value, in a struct of options.
  hedge_delay* value;
};

/// One of several named values, by index.
struct choice_option {
  /// Names of the values.
  std::vector<std::string_view> names;
  /// Returns the index of the value.
  std::function<std::size_t()> get;
  /// Sets the value by its index.
  std::function<void(std::size_t)> set;
};

/// Numbers above 0, by name.
struct shares_option {
  /// Location of the values, in a struct of options.
  std::map<std::string, double>* value;
};

/// The place and the bounds of an option.
using option_value =
  std::variant<count_option, seed_option, time_option, number_option,
               flag_option, delay_option, choice_option, shares_option>;

/// One option of a policy: its name, its bounds and its place in a struct of
/// options. The single description for all code that checks, reads or lists
/// options.
struct option {
  /// Name of the option.
  std::string_view name;
  /// Place and bounds of the option.
  option_value value;
  /// Meaning of the option, in one line.
  std::string_view meaning;
  /// Meaning of an optional value that is unset.
  std::string_view if_none = {};
};

/// Returns an option whose values are the enumerators of `value`, which count
/// from 0, under these names.
template <class Enum>
choice_option choice(Enum& value, std::vector<std::string_view> names) {
  return {std::move(names),
          [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}

/// Returns the bound in words, such as "at least 1"; empty if there is none.
std::string bound_of(const option_value& value);

/// Returns the value in words, such as "10s"; empty if it is unset.
std::string text_of(const option_value& value);

/// Checks the bound of one option.
///
/// Errors: std::invalid_argument names the option and its bound.
void check(const option& each);

/// Returns the options in a struct, in the order of its fields: the single list
/// of their names, bounds and meanings. Each struct of options overloads this
/// function.
inline std::vector<option> options_in(std::monostate&) {
  return {};
}

/// Checks the bounds of all options in the struct.
///
/// Errors: std::invalid_argument names the first option that is out of bounds.
template <class Options>
void check_each(Options given) {
  for (const auto& each : options_in(given))
    check(each);
}

} // namespace libpool
