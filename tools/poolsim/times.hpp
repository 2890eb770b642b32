#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string_view>

namespace poolsim {

using libpool::duration;

/// No time in a scenario is longer: some 36 years. So the sum of two is a time,
/// too.
constexpr duration longest_time{std::int64_t{1} << 60};

/// The time that a text such as `1.5ms` or `-1ns` says. The units are ns, us,
/// ms, s and h.
///
/// Errors: std::invalid_argument says why the text is no time.
duration time_of(std::string_view text);

} // namespace poolsim
