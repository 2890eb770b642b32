#pragma once

#include "scenario.hpp"

#include <memory>
#include <string_view>

namespace poolsim {

/// The scenario that a JSON text describes; docs/poolsim.md has the format.
///
/// Errors: invalid_scenario (element.hpp) names the place and what is wrong.
scenario read_scenario(std::string_view text);

/// Whether the parts of the policy are given beside the scenario.
enum class given { nothing, parts };

/// The same, for a scenario that must not have what is given beside it: parts
/// of a policy, and a gather, which is nullptr if none is.
scenario read_scenario(std::string_view text, given beside,
                       std::shared_ptr<const libpool::gather_plan> gather = {});

} // namespace poolsim
