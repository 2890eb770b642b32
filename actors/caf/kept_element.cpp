#include "libpool/actors/caf/kept_element.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

namespace libpool {

void let_go(caf::mailbox_element_ptr element) noexcept {
  if (element == nullptr)
    return;
  if (auto* tracked = tracked_element::from(*element))
    tracked->has_been_answered();
}

} // namespace libpool
