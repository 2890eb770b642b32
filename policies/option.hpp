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

/// Reference to the value of an option in a struct of options. The value is a
/// `T` or a `std::optional<T>`.
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

  /// Returns the value; `std::nullopt` if the value is unset.
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

/// Option whose value is a count from `least` to `most`, inclusive.
struct count_option {
  /// Location of the value in a struct of options.
  option_slot<std::size_t> value;
  /// Minimum.
  std::size_t least = 0;
  /// Maximum.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// Option whose value is the seed of random draws. Every seed is valid.
struct seed_option {
  /// Location of the value in a struct of options.
  std::uint64_t* value;
};

/// Option whose value is a time above 0, or at least 0 if `may_be_zero` is set.
struct time_option {
  /// Location of the value in a struct of options.
  option_slot<duration> value;
  /// Whether 0 is allowed.
  bool may_be_zero = false;
};

/// Option whose value is a number above `above` and at most `most`.
struct number_option {
  /// Location of the value in a struct of options.
  option_slot<double> value;
  /// Bound that the number must exceed.
  double above = 0;
  /// Maximum.
  double most = std::numeric_limits<double>::infinity();
};

/// Option whose value is true or false.
struct flag_option {
  /// Location of the value in a struct of options.
  bool* value;
};

/// Option whose value is the delay of hedging: a time above 0, or a percentile
/// above 0 and below 100.
struct delay_option {
  /// Location of the value in a struct of options.
  hedge_delay* value;
};

/// Option whose value is one of several named values, identified by its index.
struct choice_option {
  /// Names of the values.
  std::vector<std::string_view> names;
  /// Returns the index of the value.
  std::function<std::size_t()> get;
  /// Sets the value by its index.
  std::function<void(std::size_t)> set;
};

/// Option whose value is a map from names to finite numbers above 0.
struct shares_option {
  /// Location of the map in a struct of options.
  std::map<std::string, double>* value;
};

/// Location and bounds of an option's value. The variant has one alternative
/// for each type of value.
using option_value =
  std::variant<count_option, seed_option, time_option, number_option,
               flag_option, delay_option, choice_option, shares_option>;

/// Description of one option of a policy: its name, its meaning, its bounds and
/// the location of its value in a struct of options. All code that checks,
/// reads or lists options uses this description.
struct option {
  /// Name of the option.
  std::string_view name;
  /// Location and bounds of the value.
  option_value value;
  /// Meaning of the option, in one line.
  std::string_view meaning;
  /// Meaning of a value that is unset or empty, such as "unlimited". Empty if
  /// the option always has a value.
  std::string_view if_none = {};
};

/// Returns an option for the enumeration `value`. `names` has the name of each
/// enumerator, in ascending order of the enumerators, which count from 0.
template <class Enum>
choice_option choice(Enum& value, std::vector<std::string_view> names) {
  return {std::move(names),
          [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}

/// Returns the bounds of the value in words, such as "at least 1"; empty if
/// every value is valid.
std::string bound_of(const option_value& value);

/// Returns the value as a text, such as "10s"; empty if the value is unset.
std::string text_of(const option_value& value);

/// Checks that the value of the option is within its bounds.
///
/// Errors: std::invalid_argument if the value is out of bounds; the error names
///         the option and its bounds.
void check(const option& each);

/// Returns an empty list, for parts of policies that have no options. Each
/// struct of options has an overload of this function, which returns
/// descriptions of its options.
inline std::vector<option> options_in(std::monostate&) {
  return {};
}

/// Checks that all options in the struct are within their bounds.
///
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the first such option.
template <class Options>
void check_each(Options given) {
  for (const auto& each : options_in(given))
    check(each);
}

} // namespace libpool
