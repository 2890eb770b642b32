#pragma once

#include "element.hpp"

#include "libpool/policies/option.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace poolsim {

template <class Entry>
std::vector<std::string_view> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string_view> result;
  for (const auto& each : entries)
    result.push_back(each.name);
  return result;
}

/// Returns the name of a policy that is given as `"name"` or `{"name": …,
/// options…}`.
const std::string& policy_name(const element& element,
                               const std::vector<std::string_view>& choices);

/// Reads one option.
///
/// Errors: invalid_scenario if the option is out of bounds.
void read_option(const element& element, const libpool::option& option);

/// Reads the members of an object, except for its name, into the options of the
/// same names. A text has no members.
///
/// Errors: invalid_scenario lists the options if a name is unknown, and names
///         an option that is out of bounds.
void read_options(const element& element, std::string_view policy,
                  const std::vector<libpool::option>& options);

} // namespace poolsim
