#pragma once

#include "scenario.hpp"

#include <memory>
#include <string_view>

namespace poolsim {

/// Returns the scenario that a JSON text describes. The format is in
/// docs/poolsim.md.
///
/// Errors: invalid_scenario (element.hpp) names the place and the problem.
scenario read_scenario(std::string_view text);

/// Whether the parts of the policy are given by the caller.
enum class given { nothing, parts };

/// Reads a scenario to which the caller adds parts of a policy (`beside`), or a
/// gather plan; nullptr if no plan is given. The scenario itself must not have
/// the members that the caller gives.
scenario read_scenario(std::string_view text, given beside,
                       std::shared_ptr<const libpool::gather_plan> gather = {});

} // namespace poolsim
