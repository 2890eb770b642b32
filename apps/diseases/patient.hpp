#pragma once

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

/// A pool that is ill, or cured, and a load for it.
struct patient {
  /// The name that the page has for the pool.
  std::string name;
  /// Makes the pool.
  std::function<caf::actor(caf::actor_system&, bool is_cured)> make;
  /// Messages that come in each second.
  double per_second = 100;
  /// Sends message `i` to the pool.
  std::function<void(const caf::actor& pool, std::size_t i, bool is_cured)>
    send;
  /// Called in the end, if there is one, so that nothing hangs.
  std::function<void()> end = nullptr;
};

/// Runs the program: `[--cured] [--live [PORT]] [--seconds N]`. It says what
/// the pool has done when the time is over.
int look_after(int argc, char** argv, const patient& who);

/// Works for so long, without anything else of a processor's.
void work_for(std::chrono::milliseconds time);
