#include "libpool/actors/policy.hpp"

namespace libpool {

void policy::operator()(caf::actor_system& system, uplock& guard,
                        const actor_vec& workers,
                        caf::mailbox_element_ptr& what,
                        caf::execution_unit* host) const {
  delivery d{system, workers, turn_, what, host};
  how_->dispatch_under(guard, d);
}

} // namespace libpool
