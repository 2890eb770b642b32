#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace poolsim {

/// Returns the name that `given` is probably meant to be: the first one with
/// the fewest differences (a letter added, missing or changed, or two letters
/// exchanged), at most one in three letters, or a name that contains `given`.
/// Unset if there is none.
std::optional<std::string_view>
nearest(std::string_view given, const std::vector<std::string_view>& names);

} // namespace poolsim
