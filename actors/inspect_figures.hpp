#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/core/figure.hpp"

#include <type_traits>

namespace libpool {

/// Passes all figures of a described struct to an inspector of CAF.
template <class Inspector, class Stats,
          class = std::enable_if_t<is_described<Stats>>>
inspection<Inspector> inspect(Inspector& f, Stats& x) {
  return description<Stats>::visit([&](const char* type, const auto&... each) {
    return inspect_fields(f, x, type, field{each.name, x.*each.member}...);
  });
}

} // namespace libpool
