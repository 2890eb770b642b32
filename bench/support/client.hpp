#pragma once

#include "support/stage.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// The plan of an event-based client: `outstanding` calls at a time. A call is
/// a request to each of `width` targets, which take turns.
struct client_plan {
  actors targets;
  std::size_t width = 1;
  std::int64_t outstanding = 1;
  /// What is sent; empty: one int, from 0 to 63 in turn.
  std::string payload = {};
};

/// Makes so many calls, each of which gets one int back.
void call(caf::actor_system& system, const client_plan& plan,
          std::int64_t count);

/// The candidate that makes such calls.
std::function<void(benchmark::State&)> calling(caf::actor_system& system,
                                               const client_plan& plan);

} // namespace bench
