#include "libpool/actors/caf/return_path.hpp"

#include "libpool/actors/caf/tracked_element.hpp"

#include <caf/abstract_actor.hpp>

#include <utility>

namespace libpool {

return_path take_return_path(caf::mailbox_element& element) {
  return {std::move(element.sender), element.mid, std::move(element.stages)};
}

void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            caf::execution_unit* host) {
  if (!to.stages.empty()) {
    auto next = std::move(to.stages.back());
    to.stages.pop_back();
    next->enqueue(caf::make_mailbox_element(std::move(to.sender), to.id,
                                            std::move(to.stages),
                                            std::move(content)),
                  host);
  } else if (to.sender != nullptr) {
    auto receiver = std::move(to.sender);
    receiver->enqueue(caf::make_mailbox_element(std::move(from),
                                                to.id.response_id(), {},
                                                std::move(content)),
                      host);
  }
}

void let_go(caf::mailbox_element_ptr element) noexcept {
  if (element == nullptr)
    return;
  if (auto* tracked = tracked_element::from(*element))
    tracked->has_been_answered();
}

} // namespace libpool
