#pragma once

#include "libpool/observability/live/history.hpp"
#include "libpool/pool.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace test {

inline libpool::instant at(libpool::duration time) {
  return libpool::instant{} + std::chrono::hours{1} + time;
}

/// A pool at rest.
inline libpool::live::pool_sample sample_at(libpool::duration time,
                                            std::size_t workers = 8) {
  libpool::live::pool_sample result;
  result.at = result.stats.taken = at(time);
  result.stats.is_timed = true;
  result.stats.workers = result.stats.slots = workers;
  return result;
}

inline libpool::member_stats
member(std::uint64_t number, libpool::duration busy,
       libpool::instant running_since = libpool::never) {
  libpool::member_stats result;
  result.number = number;
  result.busy = busy;
  result.running_since = running_since;
  return result;
}

} // namespace test
