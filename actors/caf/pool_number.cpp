#include "libpool/actors/caf/pool_number.hpp"

#include <atomic>

namespace libpool {

std::uint64_t next_pool_number() noexcept {
  static std::atomic<std::uint64_t> pools{0};
  return ++pools;
}

} // namespace libpool
