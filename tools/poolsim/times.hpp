#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string>
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

/// Returns the time as people read it, with three significant digits and the
/// largest of the units ns, us, ms and s in which it is at least 1: `1.5 ms`,
/// `0 s`.
std::string readable(duration time);

} // namespace poolsim
