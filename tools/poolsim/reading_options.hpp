#pragma once

#include "element.hpp"

#include "libpool/policies/catalogue.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace poolsim {

/// How an option of a policy is read.
struct option_reader {
  std::string_view name;
  std::function<void(const element&)> read;
};

// The options of a part of a policy, which write to the given object.

std::vector<option_reader> options_of(const libpool::order_entry& part,
                                      libpool::order_options& to);
std::vector<option_reader> options_of(const libpool::placement_entry& part,
                                      libpool::placement_options& to);
std::vector<option_reader> options_of(const libpool::stealing_entry& part,
                                      libpool::stealing_options& to);

/// Reads all members of an object but its name; a text has no options.
///
/// Errors: invalid_scenario lists the options where there is no such.
void read_options(const element& from, std::string_view policy,
                  const std::vector<option_reader>& known);

} // namespace poolsim
