#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

namespace console {

/// Returns the number of cores of this machine, at least 1 and at most `most`.
inline std::size_t one_per_core(std::size_t most) {
  const std::size_t cores = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(cores, 1, most);
}

} // namespace console
