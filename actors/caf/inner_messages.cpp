#include "libpool/actors/caf/inner_messages.hpp"

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

void inner_messages::add(const element_record& element) {
  if (const auto& message = element.announced(); message != nullptr)
    announced.push_back(message);
  if (auto number = element.number_inside(); number != 0)
    numbers.push_back(number);
}

announced_messages::announced_messages(inner_messages which)
  : sorted_(std::move(which.announced)) {
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
