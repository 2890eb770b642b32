#include "libpool/actors/tracked_element.hpp"

#include "libpool/actors/cpu_time.hpp"
#include "libpool/core/thread_number.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/local_actor.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/system_messages.hpp>

#include <exception>
#include <limits>
#include <utility>

namespace libpool {

namespace {

/// What a worker sees of a message that was taken back: a timeout that is long
/// over, which actors drop without a word.
caf::message& silence() {
  static auto content = caf::make_message(caf::timeout_msg{
    caf::atom("receive"), std::numeric_limits<std::uint64_t>::max()});
  return content;
}

/// An asynchronous id of the same category.
caf::message_id without_request(caf::message_id id) noexcept {
  return caf::make_message_id(0).with_category(id.category());
}

} // namespace

tracked_element::tracked_element(element_owner& owner, caf::actor_clock* clock,
                                 bool counts_cpu_time) noexcept
  : owner_(owner), clock_(clock), counts_cpu_time_(counts_cpu_time) {
  // nop
}

// -- of the owner -------------------------------------------------------------

void tracked_element::load(managed_task& task, caf::mailbox_element_ptr what,
                           const receiver& to, bool keeps_client) {
  auto* inner = from(*what);
  before_ = inner == nullptr ? nullptr : inner->line();
  task_ = &task;
  what_ = std::move(what);
  to_ = to;
  keeps_client_ = keeps_client;
  mid = without_request(what_->mid);
  looks_ = 0;
  how_ = ending::completed;
  stage_.store(stage::queued, std::memory_order_relaxed);
}

bool tracked_element::has_passed(const element_owner& owner) const noexcept {
  auto has_passed = &owner_ == &owner;
  for (auto* i = before_.get(); i != nullptr && !has_passed;
       i = i->before.get())
    has_passed = i->owner == &owner;
  return has_passed;
}

bool tracked_element::recall() noexcept {
  auto seen = stage::queued;
  if (!stage_.compare_exchange_strong(seen, stage::recalled,
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire))
    return false;
  task_ = nullptr;
  return true;
}

caf::mailbox_element_ptr tracked_element::unload() noexcept {
  return std::move(what_);
}

// -- of the worker ------------------------------------------------------------

caf::type_erased_tuple& tracked_element::content() {
  return begin() ? what_->content() : silence();
}

const caf::type_erased_tuple& tracked_element::content() const {
  const auto* what = has_started() ? what_.get() : nullptr;
  return what != nullptr ? what->content() : std::as_const(silence());
}

caf::message tracked_element::move_content_to_message() {
  return begin() ? what_->move_content_to_message() : silence();
}

caf::message tracked_element::copy_content_to_message() const {
  return has_started() ? what_->copy_content_to_message() : silence();
}

/// Called where a message would be destroyed.
void tracked_element::request_deletion(bool) const noexcept {
  auto& self = const_cast<tracked_element&>(*this); // NOLINT: CAF's signature
  auto* host = self.end();
  self.owner_.ended(self, host);
}

/// Returns whether the worker handles the message, as opposed to one that was
/// taken back, or that it would drop since it has quit.
bool tracked_element::begin() {
  if (stage_.load(std::memory_order_relaxed) == stage::started) {
    look_again();
    return true;
  }
  auto seen = stage::queued;
  if (!can_begin()
      || !stage_.compare_exchange_strong(seen, stage::started,
                                         std::memory_order_acq_rel,
                                         std::memory_order_acquire))
    return false;
  what_->content(); // another pool's element begins here as well
  sender = std::move(what_->sender);
  stages = std::move(what_->stages);
  mid = what_->mid;
  client_id_ = mid;
  if (keeps_client_ && mid.is_request())
    client_ = sender;
  exceptions_ = std::uncaught_exceptions();
  note_start();
  return true;
}

bool tracked_element::can_begin() const noexcept {
  return !to_.actor->getf(caf::abstract_actor::is_shutting_down_flag
                          | caf::abstract_actor::is_terminated_flag);
}

/// A worker looks twice each time it handles a message. Further looks mean that
/// it had skipped it.
void tracked_element::look_again() {
  constexpr auto looks_per_handling = 2U;
  if (++looks_ >= looks_per_handling)
    note_start();
}

void tracked_element::note_start() {
  thread_ = thread_number();
  started_at_ = now();
  if (counts_cpu_time_)
    cpu_time_ = cpu_time_of_thread();
}

/// Returns where the worker runs, if that is here.
caf::execution_unit* tracked_element::end() noexcept {
  if (!has_started())
    return nullptr;
  ended_at_ = now();
  if (counts_cpu_time_)
    cpu_time_ = thread_ == thread_number() ? cpu_time_of_thread() - cpu_time_
                                           : duration{0};
  if (has_crashed())
    how_ = ending::crashed;
  auto was_bounced = to_.scheduled != nullptr && sender != nullptr;
  if (how_ != ending::crashed || was_bounced) // CAF has told the client
    client_ = nullptr;
  auto is_here = thread_ == thread_number() && to_.scheduled != nullptr;
  sender = nullptr;
  stages.clear();
  what_.reset();
  return is_here ? to_.scheduled->context() : nullptr;
}

/// Whether the handler has thrown, or the worker has ended for a reason that is
/// none of the usual ones.
bool tracked_element::has_crashed() {
  if (thread_ == thread_number() && std::uncaught_exceptions() > exceptions_) {
    reason_ = caf::exit_reason::unhandled_exception;
    return true;
  }
  if (can_begin() || to_.scheduled == nullptr)
    return false;
  reason_ = static_cast<caf::monitorable_actor*>(to_.actor)->fail_state();
  return reason_ && reason_ != caf::exit_reason::user_shutdown;
}

instant tracked_element::now() const {
  return clock_ != nullptr ? instant{clock_->now()} : instant{};
}

} // namespace libpool
