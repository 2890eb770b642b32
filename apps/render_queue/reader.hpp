#pragma once

#include "frame.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace render_queue {

/// Work of the readers.
struct reads {
  std::uint64_t finished = 0;
  /// Finished, although the frame was due or dropped before.
  std::uint64_t wasted = 0;
  /// Ended early, because the frame was not wanted any more.
  std::uint64_t stopped = 0;
  /// Time that the wasted and the stopped reads took.
  duration time_wasted{0};
  /// Maximum number of readers that read for one playhead.
  std::size_t most_at_once = 0;
};

/// Observes the readers and the playheads of a run. The sources do not use it.
///
/// Threads: any.
class observer {
public:
  observer(instant begin, std::size_t playheads)
    : begin_(begin), generations_(playheads), reading_(playheads) {
    // nop
  }

  /// Begin of the run.
  instant begin() const noexcept {
    return begin_;
  }

  /// Notes that a playhead needs no frame of earlier generations.
  void sought(std::uint32_t playhead, std::uint32_t generation) {
    const std::lock_guard guard{mutex_};
    generations_.at(playhead) = generation;
  }

  void begins(const frame& what) {
    const std::lock_guard guard{mutex_};
    const auto reading = ++reading_.at(what.playhead);
    seen_.most_at_once = std::max(seen_.most_at_once, reading);
  }

  void ends(const frame& what, instant begun, bool is_finished) {
    const std::lock_guard guard{mutex_};
    const instant now = std::chrono::steady_clock::now();
    const auto is_wanted = what.generation == generations_.at(what.playhead)
                           && now <= begin_ + what.due;
    --reading_.at(what.playhead);
    ++(is_finished ? seen_.finished : seen_.stopped);
    seen_.wasted += is_finished && !is_wanted ? 1 : 0;
    if (!is_finished || !is_wanted)
      seen_.time_wasted += now - begun;
  }

  reads seen() const {
    const std::lock_guard guard{mutex_};
    return seen_;
  }

private:
  const instant begin_;
  mutable std::mutex mutex_;
  std::vector<std::uint32_t> generations_;
  std::vector<std::size_t> reading_;
  reads seen_;
};

/// Returns whether a reader is to go on with the frame that it reads.
using frame_check = std::function<bool(caf::local_actor*, const frame&)>;

/// A worker: reads a frame, as from a disk, and answers with it, or with an
/// error as soon as the frame is not wanted any more. The reader sleeps, so it
/// needs a thread of its own (`caf::detached`).
/// @pre `seen` outlives the actor system
caf::behavior reader(caf::event_based_actor* self, const frame_check& is_wanted,
                     observer* seen);

} // namespace render_queue
