#include "libpool/policies/placement/random.hpp"

namespace libpool {

worker* random::pick(const std::vector<worker*>& some, instant) noexcept {
  return some[one_of(some.size())];
}

} // namespace libpool
