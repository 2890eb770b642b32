#pragma once

#include "sources.hpp"
#include "workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace render_queue {

/// Outcome of a frame. `on_time`: it was shown. `late`: it was not there when
/// it was due. `dropped`: the playhead had sought elsewhere before.
enum class fate : std::uint8_t { on_time, late, dropped };

struct settled_frame {
  /// The answer if the frame is on time, otherwise the request.
  frame what;
  fate how = fate::on_time;
};

/// The experience of one playhead.
struct experience {
  /// In the order in which frames were settled.
  std::vector<settled_frame> frames;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  /// The last error other than that a frame is late or dropped; empty: none.
  std::string error;
};

/// The experiences of all playheads, and the work of the readers.
struct run_result {
  std::vector<experience> playheads;
  render_queue::reads reads;
};

/// Has all playheads do their scripts at once. Takes as long as the scenario,
/// and until the last answer. `make` is `by_pool` or `by_hand`.
/// Throws std::runtime_error if a request has failed.
run_result run(const source_maker& make, const scenario& scenario);

} // namespace render_queue
