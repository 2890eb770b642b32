#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/abstract_actor.hpp>

#include <utility>

namespace libpool {

return_path take_return_path(caf::mailbox_element& element) {
  return {std::move(element.sender), element.mid, std::move(element.stages)};
}

void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            execution_context* host) {
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

void pass_answer(const return_path& to, caf::strong_actor_ptr from,
                 caf::mailbox_element_ptr content, execution_context* host) {
  if (!to.stages.empty())
    return answer(to, std::move(from), content->move_content_to_message(),
                  host);
  if (to.sender == nullptr)
    return;
  content->sender = std::move(from);
  content->mid = to.id.response_id();
  to.sender->enqueue(std::move(content), host);
}

} // namespace libpool
