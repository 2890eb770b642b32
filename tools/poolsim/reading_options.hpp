#pragma once

#include "element.hpp"

#include "libpool/policies/option.hpp"

#include <string_view>
#include <vector>

namespace poolsim {

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
