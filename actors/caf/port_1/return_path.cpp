#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/abstract_actor.hpp>

#include <utility>

namespace libpool {

void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            execution_context* host) {
  if (auto receiver = std::move(to.sender))
    receiver->enqueue(caf::make_mailbox_element(std::move(from),
                                                to.id.response_id(),
                                                std::move(content)),
                      host);
}

void pass_answer(const return_path& to, caf::strong_actor_ptr from,
                 caf::mailbox_element_ptr content, execution_context* host) {
  if (to.sender == nullptr)
    return;
  content->sender = std::move(from);
  content->mid = to.id.response_id();
  to.sender->enqueue(std::move(content), host);
}

} // namespace libpool
