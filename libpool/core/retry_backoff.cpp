#include "libpool/core/retry_backoff.hpp"

#include <cmath>

namespace libpool {

duration retry_backoff::longest_before(unsigned n) const noexcept {
  auto grown = static_cast<double>(first.count()) * std::pow(factor, n - 1.0);
  auto bound = static_cast<double>(most.count());
  return grown < bound ? duration{static_cast<duration::rep>(grown)} : most;
}

} // namespace libpool
