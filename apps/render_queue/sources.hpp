#pragma once

#include "reader.hpp"
#include "workload.hpp"

#include <caf/all.hpp>

#include <cstdint>
#include <functional>

namespace render_queue {

/// Returns a new reader.
using reader_maker = std::function<caf::actor(frame_check)>;

/// Readers with a queue in front of them, as playheads use them.
struct frame_source {
  /// Takes requests for frames.
  caf::actor queue;
  /// Drops the frames of a playhead before this generation; all were asked for
  /// before.
  std::function<void(std::uint32_t playhead, std::uint32_t generation)> drop;
  /// Ends the queue and its readers.
  std::function<void()> end;
};

using source_maker = std::function<frame_source(
  caf::actor_system&, const scenario&, instant begin, const reader_maker&)>;

/// Makes a managed pool.
frame_source by_pool(caf::actor_system& system, const scenario& scenario,
                     instant begin, const reader_maker& make);

/// Makes a `caf::actor_pool` and an actor that has what this pool lacks: order
/// by due time, cancelling, and limits.
frame_source by_hand(caf::actor_system& system, const scenario& scenario,
                     instant begin, const reader_maker& make);

} // namespace render_queue
