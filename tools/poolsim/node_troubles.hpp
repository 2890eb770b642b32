#pragma once

#include "node_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace poolsim {

/// The losses of a node, by time.
///
/// Randomness: each time between two losses is drawn from the seed, the node,
///             the loss and its number.
/// Cost:       O(losses of the group).
class node_troubles {
public:
  /// Begin or end of a loss.
  struct change {
    node_loss::kind is = node_loss::kind::killed;
    bool begins = false;
  };

  node_troubles(const std::vector<node_loss>& all, std::uint64_t seed,
                std::size_t node, duration joins);

  /// Returns the time of the next change; `duration::max()` if there is none.
  duration next() const noexcept;

  /// Removes and returns the next change that is due; unset if none is.
  std::optional<change> take(duration now);

private:
  struct course {
    const node_loss* of = nullptr;
    std::uint64_t entry = 0;
    duration next = duration::max();
    std::uint64_t count = 0;
    bool is_on = false;
  };

  duration gap_of(const course& plan) const;

  std::uint64_t seed_;
  std::size_t node_;
  std::vector<course> all_;
};

} // namespace poolsim
