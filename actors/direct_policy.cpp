#include "libpool/actors/direct_policy.hpp"

namespace libpool {

void direct_policy::dispatch_under(uplock& guard, turns& turn,
                                   const actor_vec& workers,
                                   caf::mailbox_element_ptr& element,
                                   execution_context* host) {
  guard.unlock();
  dispatch(turn, workers, element, host);
}

} // namespace libpool
