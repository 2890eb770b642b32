#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

/// Chooses the worker of the next text: the one that got the fewest bytes so
/// far; of equal workers, the first one.
///
/// Load: two workers never differ by more than the largest text.
/// Cost: O(workers) for each text.
class fewest_bytes {
public:
  /// Sets the number of workers.
  void resize(std::size_t workers) {
    bytes_.resize(workers);
  }

  /// Returns the index of the next worker.
  /// @pre the number of workers is not 0
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
