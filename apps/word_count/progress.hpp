#pragma once

#include "tally.hpp"

#include <cstddef>
#include <string>

namespace word_count {

/// The line that shows how far the counting has come in that time, in at most
/// `width` columns.
std::string render(const tally& tally, double seconds, std::size_t width);

} // namespace word_count
