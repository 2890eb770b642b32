#include "libpool/actors/return_path.hpp"

#include <caf/abstract_actor.hpp>

#include <utility>

namespace libpool {

return_path take_return_path(caf::mailbox_element& what) {
  return {std::move(what.sender), what.mid, std::move(what.stages)};
}

void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            caf::execution_unit* host) {
  auto& [receiver, id, stages] = to;
  if (!stages.empty()) {
    auto next = std::move(stages.back());
    stages.pop_back();
    next->enqueue(caf::make_mailbox_element(std::move(receiver), id,
                                            std::move(stages),
                                            std::move(content)),
                  host);
  } else if (receiver != nullptr) {
    receiver->enqueue(caf::make_mailbox_element(std::move(from),
                                                id.response_id(), {},
                                                std::move(content)),
                      host);
  }
}

} // namespace libpool
