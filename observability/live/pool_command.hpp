#pragma once

#include "libpool/observability/live/reply.hpp"
#include "libpool/observability/live/request.hpp"
#include "libpool/observability/live/watched.hpp"

#include <string>
#include <string_view>

namespace libpool::live {

/// A requested change of a pool.
struct pool_command {
  enum kind {
    none,
    drain,
    resize,
    pause,
    resume,
    cancel,
    again_failed,
    drop_failed
  };

  kind what = none;
  std::string pool;
};

/// Returns the command in a path such as NAME/drain or NAME/pause.
pool_command command_in(std::string_view path);

void carry_out(const pool_command& command, const watched_pool& pool,
               const request& request, reply& reply);

} // namespace libpool::live
