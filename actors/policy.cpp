#include "libpool/actors/policy.hpp"

#include "libpool/actors/caf/port/types.hpp"

#include <stdexcept>

namespace libpool {

void policy::operator()(caf::actor_system&, uplock& guard,
                        const actor_vec& workers,
                        caf::mailbox_element_ptr& element,
                        execution_context* host) const {
  if (how_ == nullptr)
    throw std::logic_error("libpool: a functor can call policies of direct "
                           "pools only, not of managed pools");
  how_->dispatch_under(guard, turn_, workers, element, host);
}

} // namespace libpool
