#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/abstract_actor.hpp>

#include <utility>

namespace libpool {

return_path take_return_path(caf::mailbox_element& element) {
  return {std::move(element.sender), element.mid, std::move(element.stages)};
}

void answer(return_path path, caf::strong_actor_ptr actor, caf::message content,
            execution_context* host) {
  if (!path.stages.empty()) {
    auto next = std::move(path.stages.back());
    path.stages.pop_back();
    next->enqueue(caf::make_mailbox_element(std::move(path.sender), path.id,
                                            std::move(path.stages),
                                            std::move(content)),
                  host);
  } else if (path.sender != nullptr) {
    auto receiver = std::move(path.sender);
    receiver->enqueue(caf::make_mailbox_element(std::move(actor),
                                                path.id.response_id(), {},
                                                std::move(content)),
                      host);
  }
}

void pass_answer(const return_path& path, caf::strong_actor_ptr actor,
                 caf::mailbox_element_ptr content, execution_context* host) {
  if (!path.stages.empty())
    return answer(path, std::move(actor), content->move_content_to_message(),
                  host);
  if (path.sender == nullptr)
    return;
  content->sender = std::move(actor);
  content->mid = path.id.response_id();
  path.sender->enqueue(std::move(content), host);
}

} // namespace libpool
