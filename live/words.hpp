/// Numbers and times for people.

#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace libpool::live {

/// The number with a narrow space after each thousand.
std::string grouped(std::uint64_t number);

/// The number and the noun, which gets an s unless it is one.
std::string counted(std::uint64_t number, std::string_view noun);

/// In two or three digits: 420 ms, 1.2 s, 42 s, 5 min.
std::string in_words(duration time);

/// In percent: 0.4 %, 12 %.
std::string percent(double share);

} // namespace libpool::live
