#pragma once

#include "libpool/core/instant.hpp"

#include <vector>

namespace tenants {

/// The unit of all lengths in the picture.
using pixels = double;

/// Places times on a logarithmic axis that begins and ends at 1, 2 or 5 times a
/// power of ten.
class time_axis {
public:
  /// All times from `least` to `most` have a place, with some room on either
  /// side.
  /// @pre least <= most, left < right
  time_axis(libpool::duration least, libpool::duration most, pixels left,
            pixels right);

  /// The place of a time; times outside are at an end.
  pixels place_of(libpool::duration time) const;

  /// 1, 2 and 5 times each power of ten, both ends included.
  const std::vector<libpool::duration>& ticks() const noexcept {
    return ticks_;
  }

  /// The ticks with a label: the powers of ten where all were too many.
  std::vector<libpool::duration> labels() const;

private:
  const pixels left_;
  const pixels right_;
  std::vector<libpool::duration> ticks_;
};

} // namespace tenants
