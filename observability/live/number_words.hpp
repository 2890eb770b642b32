/// Numbers and times as texts.

#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace libpool::live {

/// Returns the number with a narrow space after each thousand.
std::string grouped(std::uint64_t number);

/// Returns the number and the noun, with an s unless the number is one.
std::string counted(std::uint64_t number, std::string_view noun);

/// Returns the time with two or three digits: 420 ms, 1.2 s, 42 s, 5 min.
std::string in_words(duration time);

/// Returns the share in percent: 0.4 %, 12 %.
std::string percent(double share);

/// Returns the number with at most six digits: "0.5", "20".
std::string number_in_words(double number);

} // namespace libpool::live
