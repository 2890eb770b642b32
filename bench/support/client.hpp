#pragma once

#include "support/stage.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

namespace bench {

/// What an event-based client does: `outstanding` calls at a time. A call is a
/// request to one of `targets` in turn, or to each of them.
struct client_plan {
  actors targets;
  bool to_each = false;
  std::int64_t outstanding = 1;
};

/// The candidate that makes calls with one int each, from 0 to 63 in turn, and
/// gets one int back.
std::function<void(benchmark::State&)> calling(caf::actor_system& system,
                                               const client_plan& what);

} // namespace bench
