#include "libpool/actors/gate/submit_gate.hpp"

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/other_nodes.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/selection.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

namespace {

/// Number of the only actor that a gate watches.
constexpr worker_number pool_number{0};

/// Error with which any actor that has ended answers.
caf::error gone() {
  return caf::sec::request_receiver_down;
}

} // namespace

submit_gate::submit_gate(caf::actor_config& cfg, caf::actor pool)
  : delivering(cfg),
    open_(std::make_shared<open_submissions>(std::move(pool))) {
  // nop
}

void submit_gate::watch_pool() {
  if (auto pool = open_->pool())
    watch(actor_behind(pool), *this, pool_number);
}

void submit_gate::end(const caf::error& why, const caf::error& reason,
                      execution_context* host) {
  auto closed = open_->close();
  if (!closed)
    return;
  unwatch(actor_behind(closed->pool), *this, pool_number);
  for (auto& each : closed->requests)
    answer(std::move(each.client), std::move(each.gate), caf::make_message(why),
           host);
  cleanup(caf::error{reason}, host);
}

submissions submit_gate::counts() const {
  return {open_->passed(), refused_.load(std::memory_order_relaxed)};
}

caf::actor make_submit_gate(const caf::actor& pool) {
  auto& system = actor_behind(pool).home_system();
  caf::actor_config cfg;
  auto result = caf::make_actor<submit_gate, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg, pool);
  pool_behind<submit_gate>(result)->watch_pool();
  return result;
}

// -- messages -----------------------------------------------------------------

void submit_gate::deliver(caf::mailbox_element_ptr&& element,
                          execution_context* host) {
  if (auto* outer = tracked_element::from(*element))
    refuse_outer(*outer, *element, host);
  else if (cancels_own(*element))
    submit(own_cancel(*element), host);
  else if (!may_pass(*element))
    refuse(*element, errc::not_work, host);
  else if (element->sender == nullptr && !wants_answer(*element))
    pass_on(std::move(element), host);
  else
    submit(std::move(element), host);
}

/// Whether a client wants to cancel messages of a managed pool or a pipeline.
bool submit_gate::cancels_own(const caf::mailbox_element& element) const {
  if (element.sender == nullptr || element.sender == ctrl()
      || element.mid.is_response()
      || !element.content()
            .match_elements<caf::sys_atom, cancel_atom, selection>())
    return false;
  auto pool = open_->pool();
  auto* behind = is_nobody(pool) ? nullptr : pool_behind<inner_pool>(pool);
  return behind != nullptr && behind->cancels();
}

/// Limits the selection to messages of the client.
caf::mailbox_element_ptr
submit_gate::own_cancel(caf::mailbox_element& element) {
  auto choice = element.content().get_as<selection>(2);
  if (choice.client != nullptr && choice.client != element.sender)
    choice = {}; // messages of another client
  else if (!choice.is_empty())
    choice.client = element.sender;
  return make_element(
    take_return_path(element),
    caf::make_message(caf::sys_atom{}, cancel_atom{}, std::move(choice)));
}

/// Other nodes can name the gate as the sender of a message of theirs: answers
/// would go round for ever.
bool submit_gate::may_pass(const caf::mailbox_element& element) const {
  return !element.mid.is_response() && !is_system_message(element)
         && element.sender != ctrl();
}

void submit_gate::pass_on(caf::mailbox_element_ptr element,
                          execution_context* host) {
  if (auto pool = open_->pass())
    actor_behind(pool).enqueue(std::move(element), host);
  else
    refuse(*element, gone(), host);
}

void submit_gate::submit(caf::mailbox_element_ptr element,
                         execution_context* host) {
  caf::actor_config cfg;
  auto& system = home_system();
  auto sender = caf::make_actor<submission, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg,
    take_return_path(*element), ctrl(), open_);
  auto& made = static_cast<submission&>(*sender->get());
  auto pool = element->mid.is_request() ? open_->pass(made) : open_->pass();
  if (pool == nullptr) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return made.fail(gone(), host);
  }
  element->sender = std::move(sender);
  actor_behind(pool).enqueue(std::move(element), host);
}

void submit_gate::refuse(caf::mailbox_element& element, caf::error why,
                         execution_context* host) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (element.mid.is_request())
    answer(take_return_path(element), ctrl(), caf::make_message(std::move(why)),
           host);
}

/// Refuses the message of a managed pool, which cannot see through the gate
/// when it ends.
void submit_gate::refuse_outer(tracked_element& outer,
                               caf::mailbox_element& element,
                               execution_context* host) {
  if (!outer.open())
    return;
  auto why = make_error(errc::untrackable_worker);
  outer.settled({outcome::refused, errc::untrackable_worker, why});
  refuse(element, std::move(why), host);
}

// -- ends ---------------------------------------------------------------------

void submit_gate::worker_died(worker_number, const caf::error& reason,
                              execution_context* host) {
  end(errc::pool_closed, reason, host);
}

void submit_gate::unreachable() {
  if (auto closed = open_->close())
    unwatch(actor_behind(closed->pool), *this, pool_number);
  end_unreachable(*this);
}

} // namespace libpool
