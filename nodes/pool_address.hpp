#pragma once

#include "libpool/export.hpp"
#include "libpool/nodes/nats_options.hpp"

#include <string>

namespace libpool {

/// A pool of another program, reached through NATS servers.
struct pool_address {
  /// Name under which the pool is served.
  std::string pool;
  /// Options for the connection to the servers.
  nats_options by;
};

/// Throws std::invalid_argument naming the member that is missing or wrong.
LIBPOOL_EXPORT void check(const pool_address& where);

} // namespace libpool
