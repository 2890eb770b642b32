#pragma once

#include "arrivals.hpp"

#include "libpool/core/lease.hpp"
#include "libpool/core/waiting_lines.hpp"

#include <cstddef>

namespace poolsim {

/// A waiting task that the dispatcher does not know.
struct waiting_task {
  arrival from;
  std::size_t id = 0;

  static bool follows_others() noexcept {
    return true;
  }

  static void prefetch() noexcept {
    // nop: nothing else belongs to the task
  }
};

using waiting_line = libpool::waiting_line<waiting_task>;

using server_lease = libpool::booked_lease<waiting_task>;

} // namespace poolsim
