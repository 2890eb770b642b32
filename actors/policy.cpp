#include "libpool/actors/policy.hpp"

namespace libpool {

void policy::operator()(caf::actor_system&, uplock& guard,
                        const actor_vec& workers,
                        caf::mailbox_element_ptr& what,
                        caf::execution_unit* host) const {
  how_->dispatch_under(guard, turn_, workers, what, host);
}

} // namespace libpool
