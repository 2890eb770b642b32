/// How a managed pool answers the messages that are for itself.

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

using caf::sys_atom;

/// Handles the message if it is addressed to the pool itself.
bool managed_pool::manage(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<caf::exit_msg>()) {
    end_now(content.get_as<caf::exit_msg>(0).reason, host);
    return true;
  }
  if (content.match_elements<caf::down_msg>()) { // the pool sees deaths itself
    answers_.confirm(element, caf::sec::unexpected_message, host);
    return true;
  }
  if (endings_.has_ended())
    return false; // refused like everything else
  return change_workers(element, host) || change_work(element, host)
         || change_pauses(element, host) || tell_state(element, host);
}

/// Changes the workers if the message wants that.
bool managed_pool::change_workers(caf::mailbox_element& element,
                                  host_ptr host) {
  using caf::delete_atom;
  using caf::put_atom;
  auto& content = element.content();
  if (content.match_elements<sys_atom, put_atom, caf::actor>())
    answers_.confirm(element, staff_.put(content.get_as<caf::actor>(2)), host);
  else if (content.match_elements<sys_atom, delete_atom, caf::actor>())
    remove(&content.get_as<caf::actor>(2), element, host);
  else if (content.match_elements<sys_atom, delete_atom>())
    remove(nullptr, element, host);
  else if (content.match_elements<sys_atom, drain_atom>())
    drain(element, host);
  else if (content.match_elements<sys_atom, resize_atom, std::uint64_t>())
    resize(content.get_as<std::uint64_t>(2), element, host);
  else if (content.match_elements<sys_atom, resize_atom, int>())
    resize(static_cast<std::uint64_t>(std::max(content.get_as<int>(2), 0)),
           element, host);
  else
    return false;
  return true;
}

/// Cancels messages, or waits for their ends, if the message wants that.
bool managed_pool::change_work(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<sys_atom, idle_atom>()) {
    await_idle(element, host);
    return true;
  }
  if (!content.match_elements<sys_atom, cancel_atom, selection>())
    return false;
  auto which = content.get_as<selection>(2);
  if (auto why = objection_to(which))
    answers_.confirm(element, why, host);
  else
    cancel(element, which);
  return true;
}

/// Pauses or resumes the pool or a part of it if the message wants that.
bool managed_pool::change_pauses(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<sys_atom, pause_atom, pause_scope>())
    pause(element, pause_scope{content.get_as<pause_scope>(2)}, host);
  else if (content.match_elements<sys_atom, pause_atom>())
    pause(element, pause_scope::of_pool(), host);
  else if (content.match_elements<sys_atom, resume_atom, pause_scope>())
    answers_.confirm(element, resume_here(content.get_as<pause_scope>(2), host),
                     host);
  else if (content.match_elements<sys_atom, resume_atom>())
    answers_.confirm(element, resume_here(pause_scope::of_pool(), host), host);
  else
    return false;
  return true;
}

/// Answers a message that asks for the workers or the statistics. As with CAF,
/// a GET with a sender is answered even if it is not a request.
bool managed_pool::tell_state(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<sys_atom, caf::get_atom>()) {
    std::vector<caf::actor> workers;
    for (auto* each : staff_.workers().serving())
      workers.push_back(each->handle);
    answers_.send({element.sender, element.mid},
                  caf::make_message(std::move(workers)), host);
    return true;
  }
  if (content.match_elements<sys_atom, stats_atom>()) {
    answers_.send(take_return_path(element),
                  caf::make_message(statistics_.all()), host);
    return true;
  }
  return false;
}

/// Returns the answer to a request of a user, which is given when the workers
/// that the request takes out have left.
std::shared_ptr<pending_answer>
managed_pool::pending_answer_to(caf::mailbox_element& element) {
  auto result = std::make_shared<pending_answer>();
  result->give = [this, client = element.mid.is_request()
                                   ? return_path_of(element)
                                   : return_path{}](host_ptr host) {
    answers_.send(client, {}, host);
  };
  return result;
}

void managed_pool::remove(const caf::actor* worker,
                          caf::mailbox_element& element, host_ptr host) {
  auto pending = pending_answer_to(element);
  staff_.remove(worker, pending);
  if (pending->missing == 0)
    answers_.confirm(element, {}, host);
}

void managed_pool::resize(std::uint64_t n, caf::mailbox_element& element,
                          host_ptr host) {
  if (endings_.drains())
    return answers_.confirm(element, errc::pool_closed, host);
  auto pending = pending_answer_to(element);
  auto why = staff_.resize(n, pending);
  if (why || pending->missing == 0)
    answers_.confirm(element, why, host);
}

} // namespace libpool
