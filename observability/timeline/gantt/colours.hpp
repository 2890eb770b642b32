#pragma once

#include "libpool/observability/timeline/lanes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool::detail {

/// Colours of flows, as indices in the palette. Each of the flows that ran
/// longest has a colour of its own. All other flows share the last colour.
class flow_colours {
public:
  flow_colours(const timeline& timeline, const runs& all);

  std::size_t of(const timeline::record& task) const noexcept {
    return colours_[task.flow];
  }

  /// Returns the flow of each colour, except for the last colour.
  const std::vector<std::uint32_t>& flows() const noexcept {
    return flows_;
  }

private:
  std::vector<std::size_t> colours_;
  std::vector<std::uint32_t> flows_;
};

} // namespace libpool::detail
