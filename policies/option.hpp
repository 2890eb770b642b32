#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/gather/hedge_delay.hpp"

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

/// Reference to the value of an option, which is a member of a struct of
/// options. The member is a `T` or a `std::optional<T>`.
template <class T>
class option_slot {
public:
  /// Makes a reference to a value that is always set.
  option_slot(T& value) noexcept : value_(&value) {
    // nop
  }

  /// Makes a reference to a value that may be unset.
  option_slot(std::optional<T>& value) noexcept : value_(&value) {
    // nop
  }

  /// Returns the value; `std::nullopt` if the value is unset.
  std::optional<T> get() const {
    return std::visit([](auto* value) { return std::optional<T>{*value}; },
                      value_);
  }

  /// Sets the value of the option.
  void set(T target) const {
    std::visit([target](auto* value) { *value = target; }, value_);
  }

private:
  std::variant<T*, std::optional<T>*> value_;
};

/// Option of a policy whose value is a whole number from `least` to `most`,
/// inclusive.
struct count_option {
  /// Reference to the value of the option.
  option_slot<std::size_t> value;
  /// Minimum of the value.
  std::size_t least = 0;
  /// Maximum of the value.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// Option of a policy whose value is the seed of random draws. Every seed is
/// valid.
struct seed_option {
  /// Pointer to the value of the option.
  std::uint64_t* value;
};

/// Option of a policy whose value is a time above 0, or at least 0 if
/// `may_be_zero` is set.
struct time_option {
  /// Reference to the value of the option.
  option_slot<duration> value;
  /// Whether the value 0 is allowed.
  bool may_be_zero = false;
};

/// Option of a policy whose value is a number above `above` and at most `most`.
struct number_option {
  /// Reference to the value of the option.
  option_slot<double> value;
  /// Lower bound of the value, which is itself not allowed.
  double above = 0;
  /// Maximum of the value.
  double most = std::numeric_limits<double>::infinity();
};

/// Option of a policy whose value is true or false.
struct flag_option {
  /// Pointer to the value of the option.
  bool* value;
};

/// Option of a policy whose value is a delay, after which a second worker gets
/// a message: a time above 0, or a percentile above 0 and below 100 of earlier
/// times.
struct delay_option {
  /// Pointer to the value of the option.
  hedge_delay* value;
};

/// Option of a policy whose value is one of several named values, such as
/// `mean` and `median`. Values are identified by their index in `names`.
struct choice_option {
  /// Names of the values that the option can have.
  std::vector<std::string_view> names;
  /// Returns the current value of the option, as an index in `names`.
  std::function<std::size_t()> get;
  /// Sets the value of the option to the one with this index in `names`.
  std::function<void(std::size_t)> set;
};

/// Option of a policy whose value is a map from names to finite numbers above
/// 0, such as the shares of flows.
struct shares_option {
  /// Pointer to the map, which is the value of the option.
  std::map<std::string, double>* value;
};

/// Value of an option and its bounds. The variant has one alternative for each
/// type of value.
using option_value =
  std::variant<count_option, seed_option, time_option, number_option,
               flag_option, delay_option, choice_option, shares_option>;

/// Description of one option of a policy: its name, its meaning, its bounds and
/// a reference to its value. All code that checks, reads or lists options uses
/// this description.
struct option {
  /// Name of the option.
  std::string_view name;
  /// Reference to the value of the option, and the bounds of the value.
  option_value value;
  /// Meaning of the option, in one line.
  std::string_view meaning;
  /// What it means that the value is unset or the map is empty, such as
  /// "unlimited". Empty if the option always has a value.
  std::string_view if_none = {};
};

/// Returns an option whose value is `value`, an enumeration. `names` has the
/// name of each enumerator, in ascending order of the enumerators, which count
/// from 0.
template <class Enum>
choice_option choice(Enum& value, std::vector<std::string_view> names) {
  return {std::move(names),
          [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}

/// Returns the bounds of an option in words, such as "at least 1"; empty if
/// every value is valid.
LIBPOOL_EXPORT std::string bound_of(const option_value& value);

/// Returns the current value of an option as a text, such as "10s"; empty if
/// the value is unset.
LIBPOOL_EXPORT std::string text_of(const option_value& value);

/// Checks that the value of the option is within its bounds.
///
/// Errors: std::invalid_argument if the value is out of bounds; the error names
///         the option and its bounds.
LIBPOOL_EXPORT void check(const option& each);

/// Returns an empty list: the descriptions of the options of a policy that has
/// no options. For each struct of options, an overload of this function
/// describes its members.
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
