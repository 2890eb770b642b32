#include "libpool/actors/this_task.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <utility>

namespace libpool {

running_task this_task(caf::local_actor* self) {
  auto* element = tracked_element::handled_by(*self);
  if (element == nullptr)
    return {};
  auto facts = element->facts();
  // Another thread may have answered meanwhile, so that the element was reused.
  auto is_still_handled = tracked_element::handled_by(*self) == element;
  return is_still_handled ? running_task{std::move(facts)} : running_task{};
}

} // namespace libpool
