#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace poolsim {

/// The name that was probably meant: the first one with the fewest differences
/// (a letter more, less, other, or two of them exchanged), at most one in three
/// letters, or one that contains `given`. Nothing if there is none.
std::optional<std::string_view>
nearest(std::string_view given, const std::vector<std::string_view>& names);

} // namespace poolsim
