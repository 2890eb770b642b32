#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string_view>

namespace poolsim {

using libpool::duration;

/// Maximum time in a scenario, about 36 years. The sum of two such times does
/// not overflow.
constexpr duration longest_time{std::int64_t{1} << 60};

/// Returns the time in a text such as `1.5ms` or `-1ns`. The units are ns, us,
/// ms, s and h.
///
/// Errors: std::invalid_argument with the problem.
duration time_of(std::string_view text);

} // namespace poolsim
