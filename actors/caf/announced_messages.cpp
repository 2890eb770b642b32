#include "libpool/actors/caf/announced_messages.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

announced_messages::announced_messages(inner_messages messages)
  : sorted_(std::move(messages.announced)) {
  std::sort(sorted_.begin(), sorted_.end());
}

bool announced_messages::contain(
  const std::shared_ptr<passage>& message) const {
  return std::binary_search(sorted_.begin(), sorted_.end(), message);
}

bool announced_messages::contain(caf::mailbox_element& element) const {
  const auto* outer = tracked_element::from(element);
  return outer != nullptr && contain(outer->announced());
}

} // namespace libpool
