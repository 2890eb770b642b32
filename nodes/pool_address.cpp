#include "libpool/nodes/pool_address.hpp"

#include <stdexcept>

namespace libpool {

void check(const pool_address& where) {
  check(where.by);
  if (where.pool.empty())
    throw std::invalid_argument(
      "libpool: pool_address: the name of the pool must not be empty");
}

} // namespace libpool
