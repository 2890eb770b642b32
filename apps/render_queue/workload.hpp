#pragma once

#include "frame.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace render_queue {

/// Playheads, readers, and the seed of all that is random.
struct scenario {
  std::size_t playheads = 7;
  std::size_t readers = 4;
  /// Number of frames that a playhead asks for before they are due.
  std::size_t read_ahead = 24;
  /// Maximum number of readers that read for one playhead.
  std::size_t most_reading = 3;
  double seconds = 5;
  std::uint32_t seed = 1;
};

/// What a playhead does at one tick, after the frame of the tick was shown.
struct step {
  /// Whether the playhead seeks: it drops all frames that it has asked for.
  bool seeks = false;
  /// Frames that it asks for.
  std::vector<frame> asks;
};

/// The steps of a playhead, one for each tick; the last one drops all frames.
using script = std::vector<step>;

/// Number of ticks per second, at each of which a playhead shows a frame.
constexpr std::size_t rate = 24;

/// Time of a tick since the begin of the run.
duration time_of(std::size_t tick);

/// Draws the steps of a playhead. Equal arguments give equal scripts. Playhead
/// 0 is scrubbed: it seeks about twice a second, the others every 3 seconds.
/// One frame in 24 takes 80 ms longer than the others.
script script_of(const scenario& scenario, std::uint32_t playhead);

} // namespace render_queue
