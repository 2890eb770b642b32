#include "libpool/actors/this_task.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

namespace libpool {

running_task this_task(caf::local_actor* self) {
  auto* element = tracked_element::handled_by(*self);
  return element != nullptr ? running_task{element->facts()} : running_task{};
}

} // namespace libpool
