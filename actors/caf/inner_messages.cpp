#include "libpool/actors/caf/inner_messages.hpp"

#include "libpool/actors/caf/element_record.hpp"

namespace libpool {

void inner_messages::add(const element_record& element) {
  if (const auto& message = element.announced(); message != nullptr)
    announced.push_back(message);
  if (auto number = element.number_inside(); number != 0)
    numbers.push_back(number);
}

} // namespace libpool
