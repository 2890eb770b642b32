#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/core/instant.hpp"

#include <caf/all.hpp>

#include <cstdint>

namespace render_queue {

using libpool::duration;
using libpool::instant;

/// Request for a frame, and the answer to it. Times count from the begin of the
/// run.
struct frame {
  /// Number of the playhead that asks.
  std::uint32_t playhead = 0;
  /// Number of seeks of the playhead before the request.
  std::uint32_t generation = 0;
  /// Place of the frame in the film.
  std::uint64_t index = 0;
  /// Time at which the playhead shows the frame.
  duration due{0};
  /// Time that a reader takes for the frame.
  duration work{0};
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, frame& x) {
  return libpool::inspect_fields(
    f, x, "frame", libpool::field{"playhead", x.playhead},
    libpool::field{"generation", x.generation},
    libpool::field{"index", x.index}, libpool::field{"due", x.due},
    libpool::field{"work", x.work});
}

} // namespace render_queue

CAF_BEGIN_TYPE_ID_BLOCK(render_queue, first_custom_type_id)

CAF_ADD_TYPE_ID(render_queue, (render_queue::frame))

CAF_END_TYPE_ID_BLOCK(render_queue)
