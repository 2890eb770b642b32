#include "libpool/actors/gate/submission.hpp"

#include "libpool/actors/caf/other_nodes.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message.hpp>

#include <utility>

namespace libpool {

submission::submission(caf::actor_config& cfg, return_path path,
                       const caf::strong_actor_ptr& through,
                       std::shared_ptr<open_submissions> among)
  : delivering(cfg),
    open_submission(std::move(path), through),
    gate_address_(caf::actor_cast<caf::actor_addr>(through)),
    among_(std::move(among)) {
  // nop
}

void submission::fail(caf::error why, execution_context* host) {
  if (settle())
    answer(client, std::move(gate), caf::make_message(std::move(why)), host);
}

void submission::deliver(caf::mailbox_element_ptr&& element,
                         execution_context* host) {
  auto comes_from_abroad = element->sender != nullptr
                           && is_remote(*element->sender, home_system());
  if (element->mid.is_response())
    answered(std::move(element), host);
  else if (element->mid.is_request()) // its answer would have to come back
    answer(take_return_path(*element), ctrl(),
           caf::make_message(make_error(errc::not_work)), host);
  else
    pass_on(std::move(element), host);
  if (comes_from_abroad) // CAF's registry would keep it
    cleanup(caf::exit_reason::normal, host);
}

void submission::answered(caf::mailbox_element_ptr element,
                          execution_context* host) {
  if (settle())
    pass_answer(client, std::move(gate), std::move(element), host);
}

/// Passes on a message that was sent in place of an answer, or as an answer to
/// a message that is not a request.
void submission::pass_on(caf::mailbox_element_ptr element,
                         execution_context* host) const {
  if (client.sender == nullptr)
    return;
  client.sender->enqueue(
    make_element(reach(gate_address_), element->mid, take_content(*element)),
    host);
}

void submission::unreachable() {
  if (is_open) // most are not, and errors cost more than the rest
    fail(dropped_request(), nullptr);
  among_->leave(*this);
  end_unreachable(*this);
}

} // namespace libpool
