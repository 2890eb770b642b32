/// How the agent of a node handles messages and time, and sends message
/// batches.

#include "libpool/nodes/actors/node_agent.hpp"

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace libpool {

node_agent::node_agent(caf::actor_config& cfg, caf::actor local_pool,
                       node_setup setup)
  : delivering(cfg),
    how_(std::move(setup)),
    pool_(std::move(local_pool)),
    end_(how_.run, how_.offer) {
  register_at_system();
}

// -- facts --------------------------------------------------------------------

/// Calls `call` when its turn comes, unless the agent has ended by then.
void node_agent::act(command call, host_ptr host) {
  tell(
    [this, call = std::move(call)](host_ptr here) {
      if (!has_ended_)
        call(here);
    },
    host);
}

void node_agent::received(caf::mailbox_element_ptr element, host_ptr host) {
  if (!element->mid.is_response())
    manage(*element, host);
  else if (!has_ended_)
    answered(*element, host);
}

void node_agent::handled_all(host_ptr host) {
  if (!has_ended_) {
    if (is_due())
      tick(host);
    end_.tell_begun(std::exchange(begun_, {}));
    begin_tasks(host);
    if (!has_ended_ && end_.flush_at() <= now())
      end_.flush(now());
    carry_out(host);
    end_if_over(host);
  }
  if (!has_ended_)
    set_waker();
}

/// Handles a message that is for the agent itself.
void node_agent::manage(caf::mailbox_element& element, host_ptr host) {
  auto& content = content_of(element);
  if (content.match_elements<caf::down_msg>())
    return; // the agent watches other actors by itself
  if (content.match_elements<caf::exit_msg>())
    end(content.get_as<caf::exit_msg>(0).reason, false, host);
  else if (!has_ended_ && content.match_elements<caf::sys_atom, drain_atom>())
    drain(element, host);
  else if (element.mid.is_request())
    answer(take_return_path(element), self_,
           caf::make_message(caf::make_error(has_ended_
                                               ? caf::sec::request_receiver_down
                                               : caf::sec::unexpected_message)),
           host);
}

// -- batches ------------------------------------------------------------------

/// Sends the message batches of `end_`, drops the contents of tasks that `end_`
/// has forgotten, and asks handlers to stop.
void node_agent::carry_out(host_ptr host) {
  for (const auto& each : std::exchange(end_.batches(), {}))
    send(each);
  for (auto task : std::exchange(end_.forgotten(), {}))
    contents_.erase(task);
  if (!end_.stopping().empty())
    stop(runs_of(std::exchange(end_.stopping(), {})), host);
  if (!end_.taken_back().empty())
    take_back(runs_of(std::exchange(end_.taken_back(), {})), false, host);
  if (!end_.asked_begun().empty())
    ask_begun(runs_of(std::exchange(end_.asked_begun(), {})), host);
  if (session_ != end_.link().session())
    session_changed();
}

/// Returns the message batch as bytes, after room for an envelope.
std::string node_agent::written(const batch_to_pool& batch) {
  if (const auto* first = std::get_if<hello>(&batch.content))
    return bytes_of(*first, introduced(), envelope_room);
  const auto* done = std::get_if<tasks_done>(&batch.content);
  if (done == nullptr)
    return bytes_of(batch, {}, envelope_room);
  std::vector<std::string_view> contents;
  for (const auto& each : done->ends)
    contents.emplace_back(results_[each.task]);
  auto bytes = bytes_of(batch, contents, envelope_room);
  for (const auto& each : done->ends)
    results_.erase(each.task);
  return bytes;
}

/// Drops the results of the older session, and its stream: another run of the
/// pool may give the next session the same number.
void node_agent::session_changed() {
  session_ = end_.link().session();
  results_.clear();
  if (session_)
    trouble_ = {};
  else
    stream_ = {};
}

// -- time ---------------------------------------------------------------------

/// Whether `tick` is due. The clock's thread may be late on busy processors, so
/// each handling thread checks the time as well.
bool node_agent::is_due() const {
  return std::min(end_.next_tick(), gives_up_at_) <= now();
}

/// Sets the waker to the next due time. The waker has another clock than
/// leases. A waker that is set too early is kept: replacing its time costs more
/// than waking up too early.
void node_agent::set_waker() {
  auto due = std::min({end_.next_tick(), end_.flush_at(), gives_up_at_});
  if (wakes_at_ && *wakes_at_ <= due)
    return;
  wakes_at_ = due;
  waker_.set(due == never ? never
                          : later(clock_of(home_system()).now(), due - now()));
}

void node_agent::time_is_up(host_ptr host) {
  auto time_has_passed = [this](host_ptr) {
    if (waker_.has_come(clock_of(home_system()).now()))
      wakes_at_.reset();
  };
  act(time_has_passed, host);
}

void node_agent::tick(host_ptr host) {
  end_.ticked(now());
  drop_old_results();
  carry_out(host);
  if (gives_up_at_ <= now())
    end(leaves_ ? *leaves_
                : make_error(errc::not_connected, "the client is silent"),
        false, host);
}

} // namespace libpool
