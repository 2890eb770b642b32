#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

/// The worker of the next text: the one that has been given the fewest bytes so
/// far; of several, the first one.
///
/// Load: no two workers ever differ by more than the largest text.
/// Cost: O(workers) per text.
class fewest_bytes {
public:
  /// There are so many workers from now on.
  void resize(std::size_t workers) {
    bytes_.resize(workers);
  }

  /// @pre there are workers
  std::size_t next() const noexcept {
    const auto least = std::min_element(bytes_.begin(), bytes_.end());
    return static_cast<std::size_t>(least - bytes_.begin());
  }

  void gave(std::size_t worker, std::size_t size) noexcept {
    bytes_[worker] += size;
  }

private:
  std::vector<std::size_t> bytes_;
};
