#pragma once

#include "scenario.hpp"

#include <string_view>

namespace poolsim {

/// The scenario that a JSON text describes; docs/poolsim.md has the format.
///
/// Errors: invalid_scenario (element.hpp) names the place and the error.
scenario read_scenario(std::string_view text);

} // namespace poolsim
