/// Times and tables for people.

#pragma once

#include "libpool/core/instant.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tenants {

/// To three digits or a hundredth of a millisecond: "0.25 ms", "12.5 ms",
/// "340 ms", "1.25 s".
std::string text_of(libpool::duration time);

/// A time without zeros behind the point: "2 ms", "0.5 s" is "500 ms".
std::string short_text_of(libpool::duration time);

/// One line for each row, the first column to the left, all others to the right
/// of their widths.
/// @pre all rows have as many columns
std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    std::string_view indent = {});

/// The text as XML allows it between tags and in attributes.
/// @pre `text` is UTF-8 without control characters
std::string xml(std::string_view text);

} // namespace tenants
