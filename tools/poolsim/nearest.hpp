#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace poolsim {

/// Returns the name that `given` is probably a misspelling of; unset if there
/// is none. The result is the first name with the fewest differences, at most
/// one difference, or one in three letters, that has a letter in common with
/// `given`. Otherwise the result is the first name that contains `given`, if
/// `given` has at least four letters. A difference is a letter that is added,
/// missing or changed, or two letters that are exchanged.
std::optional<std::string_view>
nearest(std::string_view given, const std::vector<std::string_view>& names);

} // namespace poolsim
