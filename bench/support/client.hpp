#pragma once

#include "support/stage.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace bench {

/// The plan of an event-based client: `outstanding` calls at a time. A call is
/// a request to each of `width` targets, which take turns.
struct client_plan {
  actors targets;
  std::size_t width = 1;
  std::int64_t outstanding = 1;
};

/// The candidate that makes calls with one int each, from 0 to 63 in turn, and
/// gets one int back.
std::function<void(benchmark::State&)> calling(caf::actor_system& system,
                                               const client_plan& plan);

} // namespace bench
