#pragma once

#include "distribution.hpp"
#include "times.hpp"

#include "libpool/nodes/pool_end.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace poolsim {

/// A time that is always the same, or drawn.
struct time_choice {
  duration fixed{0};
  std::optional<distribution> draws;

  duration choose(random_bits bits) const {
    return draws ? draws->draw(bits) : fixed;
  }
};

/// A number of bytes that is always the same, or drawn: one nanosecond of the
/// distribution stands for one byte.
struct size_choice {
  std::size_t fixed = 0;
  std::optional<distribution> draws;

  std::size_t choose(random_bits bits) const {
    return draws ? static_cast<std::size_t>(draws->draw(bits).count()) : fixed;
  }
};

/// What a node of a group suffers, once or again and again.
struct node_loss {
  enum class kind : std::uint8_t {
    killed, ///< loses all that it has; another program starts in its place
    stands, ///< does nothing, and nobody notices
    cut,    ///< nothing passes its link
  };

  kind is = kind::killed;
  /// When it comes; none: again and again.
  std::optional<duration> at;
  /// From the join, or the end of one, to the next one.
  time_choice every;
  /// None: for ever.
  std::optional<duration> lasts;
};

/// What the nodes of a group have in common, beside speed and slots.
struct node_group {
  /// One way.
  time_choice latency;
  /// Bytes per second, each way.
  double bandwidth = std::numeric_limits<double>::infinity();
  std::vector<node_loss> losses;
};

/// That workers live on nodes: the worker of that number is the node of that
/// number.
struct node_settings {
  libpool::node_terms terms;
  std::vector<node_group> groups;
  /// The group of each node.
  std::vector<std::size_t> group_of;
};

} // namespace poolsim
