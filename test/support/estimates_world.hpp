#pragma once

#include "libpool/policies/estimate_options.hpp"
#include "support/placement_world.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace test {

/// Options for short histories of events, where no worker is probed.
inline libpool::estimate_options
estimating(std::optional<int> initial_ns = std::nullopt) {
  libpool::estimate_options result;
  result.probe_every = 0;
  if (initial_ns)
    result.initial_estimate = libpool::duration{*initial_ns};
  return result;
}

/// A world of a placement that goes by estimates.
template <class Placement>
struct estimates_world : placement_world {
  explicit estimates_world(const libpool::estimate_options& options,
                           placement_setting how = {})
    : placement_world(std::make_unique<Placement>(options), std::move(how)) {
    // nop
  }

  /// The worker runs a task for that long, and nothing else happens.
  void sample(std::size_t worker, libpool::duration cost) {
    submit_only({worker});
    auto task = last();
    pass(cost);
    finish(task);
  }

  /// The workers of the next tasks, each of which runs for that long, alone.
  names serve_all(std::size_t count, libpool::duration cost) {
    names result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(serve(cost));
    return result;
  }
};

} // namespace test
