#pragma once

#include "choices.hpp"

namespace pooltop {

void obey(command what, const snapshot& from, const extent& table,
          controls& to);

/// Limits the first row, so that the page has no empty rows if the table fills
/// it.
void clamp(const extent& table, controls& to);

} // namespace pooltop
