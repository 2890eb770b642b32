#include "libpool/actors/managed/desk.hpp"

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/error.hpp"

#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace libpool {

using caf::sys_atom;

bool desk::manage(caf::mailbox_element& element, host_ptr host) {
  if (tracked_element::from(element) != nullptr || is_work(element))
    return false;
  if (element.mid.is_response())
    return true; // answers a request that was never sent
  auto& content = element.content();
  if (content.match_elements<caf::exit_msg>()) {
    lifetime_.end(content.get_as<caf::exit_msg>(0).reason, host);
    return true;
  }
  if (content.match_elements<caf::down_msg>()) { // the pool sees deaths itself
    answers_.confirm(element, caf::sec::unexpected_message, host);
    return true;
  }
  if (end_.has_ended())
    return false; // refused like everything else
  return change_workers(element, host) || change_work(element, host)
         || change_pauses(element, host) || tell_state(element, host);
}

/// Changes the workers if the message wants that.
bool desk::change_workers(caf::mailbox_element& element, host_ptr host) {
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
    lifetime_.drain(answer_to(element), host);
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
bool desk::change_work(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<sys_atom, idle_atom>()) {
    if (auto answer = answer_to(element))
      lifetime_.await_idle(std::move(answer), host);
    return true;
  }
  if (!content.match_elements<sys_atom, cancel_atom, selection>())
    return false;
  auto selected = content.get_as<selection>(2);
  if (auto why = cancellation_.objection_to(selected))
    answers_.confirm(element, why, host);
  else
    cancel(selected, element);
  return true;
}

/// Pauses or resumes the pool or a part of it if the message wants that.
bool desk::change_pauses(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<sys_atom, pause_atom, pause_scope>())
    pause(pause_scope{content.get_as<pause_scope>(2)}, element, host);
  else if (content.match_elements<sys_atom, pause_atom>())
    pause(pause_scope::of_pool(), element, host);
  else if (content.match_elements<sys_atom, resume_atom, pause_scope>())
    answers_.confirm(
      element, pauses_.resume(content.get_as<pause_scope>(2), host), host);
  else if (content.match_elements<sys_atom, resume_atom>())
    answers_.confirm(element, pauses_.resume(pause_scope::of_pool(), host),
                     host);
  else
    return false;
  return true;
}

/// Answers a message that asks for the workers or the statistics. As with CAF,
/// a GET with a sender is answered even if it is not a request.
bool desk::tell_state(caf::mailbox_element& element, host_ptr host) {
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

/// Returns the answer to the message; nullptr if it is not a request.
user_answer desk::answer_to(const caf::mailbox_element& request) const {
  if (!request.mid.is_request())
    return nullptr;
  return [this, client = return_path_of(request)](errc why, host_ptr host) {
    answers_.send(client,
                  why == errc{} ? caf::message{}
                                : caf::make_message(make_error(why)),
                  host);
  };
}

/// Answers when the workers that are removed have ended what they have begun.
void desk::remove(const caf::actor* worker, caf::mailbox_element& element,
                  host_ptr host) {
  auto done = std::make_shared<pending_answer>();
  done->give = answer_to(element);
  staff_.remove(worker, done);
  if (done->missing == 0)
    answers_.confirm(element, {}, host);
}

/// Answers when the workers that are removed have ended what they have begun,
/// except handlers that overrun.
void desk::resize(std::uint64_t n, caf::mailbox_element& element,
                  host_ptr host) {
  auto done = std::make_shared<pending_answer>();
  done->give = answer_to(element);
  auto why = staff_.resize(n, done);
  if (why || done->missing == 0)
    answers_.confirm(element, why, host);
}

/// Answers when nothing of the scope runs any more.
void desk::pause(const pause_scope& scope, caf::mailbox_element& element,
                 host_ptr host) {
  if (auto why = pauses_.pause(scope, host))
    return answers_.confirm(element, why, host);
  if (auto answer = answer_to(element))
    pauses_.await_quiet(scope, std::move(answer));
}

/// Answers when the clients of the messages have been answered.
void desk::cancel(const selection& selected, caf::mailbox_element& element) {
  auto counts = cancellation_.cancel(selected);
  settlement_.when_told(
    [this, client = return_path_of(element), counts](host_ptr host) {
      answers_.send(client, caf::make_message(counts), host);
    });
}

} // namespace libpool
