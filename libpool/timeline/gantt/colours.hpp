#pragma once

#include "libpool/timeline/lanes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool::detail {

/// The colour of each flow in the palette: the flows that ran longest have one
/// each, all others share the last one.
class flow_colours {
public:
  flow_colours(const timeline& timeline, const runs& all);

  std::size_t of(const timeline::record& task) const noexcept {
    return colours_[task.flow];
  }

  /// The flow of each colour but the last.
  const std::vector<std::uint32_t>& flows() const noexcept {
    return flows_;
  }

private:
  std::vector<std::size_t> colours_;
  std::vector<std::uint32_t> flows_;
};

} // namespace libpool::detail
