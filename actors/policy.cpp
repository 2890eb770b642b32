#include "libpool/actors/policy.hpp"

#include "libpool/actors/actor_pool.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>

namespace libpool {

void policy::operator()(caf::actor_system&, uplock& guard,
                        const actor_vec& workers,
                        caf::mailbox_element_ptr& what,
                        caf::execution_unit* host) const {
  if (how_ == nullptr)
    throw std::logic_error("a functor cannot wrap the policy of a managed "
                           "pool");
  how_->dispatch_under(guard, turn_, workers, what, host);
}

// -- the pool's own ----------------------------------------------------------

policy actor_pool::round_robin() {
  return policy{make_round_robin()};
}

policy actor_pool::broadcast() {
  return policy{make_broadcast()};
}

policy actor_pool::random() {
  std::random_device entropy;
  std::uint64_t high = entropy();
  return random(high << 32 | entropy());
}

policy actor_pool::random(std::uint64_t seed) {
  return policy{make_random(seed)};
}

} // namespace libpool
