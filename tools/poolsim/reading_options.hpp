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

/// The name of a policy that is given as `"name"` or `{"name": …, options…}`.
const std::string& policy_name(const element& from,
                               const std::vector<std::string_view>& choices);

/// Reads one option.
///
/// Errors: invalid_scenario if it is out of bounds.
void read_option(const element& from, const libpool::option& to);

/// Reads the members of an object, but its name, into the options of that name;
/// a text has no members.
///
/// Errors: invalid_scenario lists the options where there is no such, and names
///         one that is out of bounds.
void read_options(const element& from, std::string_view policy,
                  const std::vector<libpool::option>& options);

} // namespace poolsim
