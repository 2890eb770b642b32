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

namespace {

/// Returns why the pool cannot have `n` workers.
caf::error objection_to_size(std::uint64_t n, std::size_t most,
                             bool has_factory) {
  if (n == 0)
    return invalid_argument("resize: workers must be at least 1, got 0");
  if (n > most)
    return invalid_argument("resize: workers must be at most most_workers ("
                            + std::to_string(most) + "), got "
                            + std::to_string(n));
  if (!has_factory)
    return invalid_argument(
      "resize: the pool has no factory that could make workers");
  return {};
}

} // namespace

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
    answers_.confirm(element, put_by_user(content.get_as<caf::actor>(2)), host);
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
    for (auto* each : roster_.serving())
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

/// Makes workers, or takes workers out. Answers when these have ended what they
/// have begun, except handlers that overrun.
void managed_pool::resize(std::uint64_t n, caf::mailbox_element& element,
                          host_ptr host) {
  if (endings_.drains())
    return answers_.confirm(element, errc::pool_closed, host);
  if (auto why = objection_to_size(n, options_.most_workers,
                                   spawning_.has_factory()))
    return answers_.confirm(element, why, host);
  auto pending = std::make_shared<pending_answer>();
  if (element.mid.is_request())
    pending->to = {element.sender, element.mid};
  staffing_.resized(static_cast<std::size_t>(n));
  for (auto* each : in_order_of_retirement()) {
    if (staffing_.surplus(count_workers()) == 0)
      break;
    retire(*each, true, each->hanging > 0 ? nullptr : pending);
  }
  keep_staffed();
  if (pending->missing == 0)
    answers_.confirm(element, {}, host);
}

} // namespace libpool
