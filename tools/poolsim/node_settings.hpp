#pragma once

#include "distribution.hpp"
#include "times.hpp"

#include "libpool/nodes/protocol/node_connections.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace poolsim {

/// A fixed time, or a distribution of times.
struct time_choice {
  duration fixed{0};
  std::optional<distribution> draws;

  duration choose(random_bits bits) const {
    return draws ? draws->draw(bits) : fixed;
  }
};

/// A fixed number of bytes, or a distribution in which a nanosecond stands for
/// a byte.
struct size_choice {
  std::size_t fixed = 0;
  std::optional<distribution> draws;

  std::size_t choose(random_bits bits) const {
    return draws ? static_cast<std::size_t>(draws->draw(bits).count()) : fixed;
  }
};

/// A loss that the nodes of a group suffer, once or repeatedly.
struct node_loss {
  enum class kind : std::uint8_t {
    killed, ///< everything on the node is lost; another program starts
    stands, ///< the node does nothing, unnoticed by the pool
    cut,    ///< the link transports nothing
  };

  kind is = kind::killed;
  /// Time of the loss; unset: repeatedly.
  std::optional<duration> at;
  /// Time from the join, or from the end of the last loss, to the next loss.
  time_choice every;
  /// Duration of the loss; unset: for ever.
  std::optional<duration> lasts;
};

/// Common settings of the nodes of a group, except for speed and slots.
struct node_group {
  /// Latency of one direction.
  time_choice latency;
  /// Bytes per second in each direction.
  double bandwidth = std::numeric_limits<double>::infinity();
  std::vector<node_loss> losses;
};

/// Settings of a scenario with nodes. The worker of each number is the node of
/// that number.
struct node_settings {
  libpool::node_terms terms;
  std::vector<node_group> groups;
  /// Index of the group of each node.
  std::vector<std::size_t> group_of;
};

} // namespace poolsim
