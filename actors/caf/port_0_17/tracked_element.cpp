#include "libpool/actors/caf/port/tracked_element.hpp"

#include "libpool/actors/caf/exception_witness.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/atom.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <exception>
#include <utility>

namespace libpool {

namespace {

/// The content of a message that was taken back, as its worker sees it: a
/// timeout that is long over, which actors drop without a word.
caf::message& silence() {
  static auto content = caf::make_message(caf::timeout_msg{
    caf::atom("receive"), std::numeric_limits<std::uint64_t>::max()});
  return content;
}

} // namespace

tracked_element* tracked_element::handled_by(caf::local_actor& actor) noexcept {
  auto* handled = actor.current_mailbox_element();
  return handled != nullptr ? from(*handled) : nullptr;
}

// -- of the owner -------------------------------------------------------------

void tracked_element::load(libpool::task& task,
                           caf::mailbox_element_ptr message,
                           const receiver& client, bool keeps_client) {
  auto* outer = from(*message);
  start_over(task, std::move(message), outer, client, keeps_client);
  mid = caf::make_message_id();
  looks_ = 0;
  is_witnessed_ = false;
}

bool tracked_element::abandon() noexcept {
  auto was_answered = mid.is_request() && sender == nullptr;
  use_ = !has_started() ? use::unopened
         : was_answered ? use::handled
                        : use::skipped;
  task_ = nullptr;
  return true;
}

// -- of another pool ----------------------------------------------------------

bool tracked_element::open() {
  content();
  return has_started() && !is_empty_;
}

void tracked_element::pass_on(caf::mailbox_element_ptr element,
                              caf::abstract_actor& worker,
                              execution_context* host) {
  if (auto receiver = trackable(worker))
    from(*element)->to_ = *receiver;
  worker.enqueue(std::move(element), host);
}

void tracked_element::belongs_to(caf::strong_actor_ptr client) noexcept {
  sender = std::move(client);
}

void tracked_element::give_back(errc why, std::string words) noexcept {
  is_dropped_ = has_started();
  inside_ = inner_end{outcome::refused, why, {}};
  thrown_ = std::move(words);
}

// -- of the worker ------------------------------------------------------------

/// A worker looks twice each time it handles a message. Further looks mean that
/// it had skipped it.
inline void tracked_element::look_again() {
  constexpr auto looks_per_handling = 2U;
  if (++looks_ >= looks_per_handling)
    note_start();
}

inline bool tracked_element::drops_it() noexcept {
  constexpr auto looks_per_handling = 2U;
  is_dropped_ = is_dropped_
                || (looks_ >= looks_per_handling && to_.has_mailbox
                    && !can_begin());
  return is_dropped_;
}

/// The look after the start, at a message that is handled: hardly ever is it
/// another one.
inline bool tracked_element::is_second_look() const noexcept {
  return stage_.load(std::memory_order_relaxed) == stage::started && looks_ == 0
         && !is_empty_ && !is_dropped_;
}

/// Returns whether the worker handles the message, as opposed to one that was
/// taken back, or that it would drop since it has quit.
inline bool tracked_element::begin() {
  if (stage_.load(std::memory_order_relaxed) == stage::started) {
    look_again();
    return !is_empty_ && !is_dropped_;
  }
  if (!can_begin())
    return false;
  if (!leave_queue())
    return false;
  if (outer_ != nullptr && !static_cast<tracked_element*>(outer_)->open()) {
    is_empty_ = true;
    return false;
  }
  sender.swap(element_->sender); // it has none before the start
  stages.swap(element_->stages);
  if (answers_to_ != nullptr) {
    sender = std::move(answers_to_);
    stages.clear();
  }
  mid = element_->mid;
  note_client(sender, mid);
  exceptions_ = std::uncaught_exceptions();
  if (to_.scheduled != nullptr && !std::exchange(is_witnessed_, true))
    witness_exceptions(*to_.scheduled);
  note_start();
  return true;
}

inline message_content& tracked_element::shown() {
  auto& content = element_->content();
  return keeps_message_ ? shared_.show(content) : content;
}

/// An actor's second look at a message follows the first one.
message_content& tracked_element::content() {
  if (is_second_look()) {
    looks_ = 1;
    return shown();
  }
  return first_look();
}

/// An element that was skipped, and comes up again after its worker has quit,
/// would be dropped: the worker then sees silence, and the task goes elsewhere.
message_content& tracked_element::first_look() {
  return begin() && !drops_it() ? shown() : silence();
}

const message_content& tracked_element::content() const {
  auto& self = const_cast<tracked_element&>(*this); // NOLINT: CAF's signature
  auto is_shown = has_started() && !is_empty_ && element_ != nullptr;
  return is_shown ? self.shown() : silence();
}

caf::message tracked_element::move_content_to_message() {
  if (!begin())
    return silence();
  return keeps_message_ ? element_->copy_content_to_message()
                        : element_->move_content_to_message();
}

caf::message tracked_element::copy_content_to_message() const {
  if (!has_started() || is_empty_)
    return silence();
  return element_->copy_content_to_message();
}

/// Called where a message would be destroyed.
void tracked_element::request_deletion(bool) const noexcept {
  auto& self = const_cast<tracked_element&>(*this); // NOLINT: CAF's signature
  if (has_started() && lease_ != nullptr && self.goes_on())
    return;
  auto* host = self.end();
  self.owner_.ended(self, host);
}

void handler_has_thrown(caf::scheduled_actor& worker,
                        const std::exception_ptr& thrown) noexcept {
  if (auto* current = worker.current_mailbox_element())
    if (auto* tracked = tracked_element::from(*current))
      tracked->has_thrown(thrown);
}

void tracked_element::has_thrown(const std::exception_ptr& thrown) noexcept {
  note_thrown(thrown, sender != nullptr || !stages.empty());
}

void take_over_answer(caf::scheduled_actor& worker) noexcept {
  if (auto* current = worker.current_mailbox_element())
    if (auto* tracked = tracked_element::from(*current))
      tracked->take_over_answer();
}

void tracked_element::take_over_answer() noexcept {
  if (client_ == nullptr || !stages.empty())
    return;
  was_open_ = false;
  sender = nullptr;
}

/// Returns where the worker runs, if that is here.
execution_context* tracked_element::end() noexcept {
  if (passage_ != nullptr) {
    passage_->way.sender = nullptr;
    passage_->way.stages.clear();
  }
  if (!has_started())
    return nullptr; // the owner may be taking back the message of this element
  if (task_ == nullptr) {
    forget();
    return nullptr;
  }
  if (to_.pool != nullptr && is_failed_by_policy())
    inside_ = inner_end{outcome::refused, errc::policy_failed, {}};
  use_ = find_use();
  note_end();
  auto is_here = runs_here() && to_.scheduled != nullptr;
  auto* host = is_here ? to_.scheduled->context() : nullptr;
  reason_ = caf::error{};
  if (use_ == use::bounced)
    reason_ = caf::sec::request_receiver_down;
  if (use_ == use::bounced || (use_ == use::handled && has_crashed()))
    how_ = ending::crashed;
  auto was_told = use_ == use::bounced || (has_thrown_ && was_open_) || inside_;
  if (how_ != ending::crashed || was_told) // by CAF, or by the worker
    client_ = nullptr;
  forget();
  return host;
}

/// Lets go of the client's message, unless it is kept or goes elsewhere. An
/// element of another pool is kept until this element's owner knows how the
/// task has ended.
void tracked_element::forget() noexcept {
  if (task_ != nullptr && (use_ == use::skipped || use_ == use::bounced))
    return;
  sender = nullptr;
  stages.clear();
  if (task_ == nullptr || (outer_ == nullptr && !keeps_message_))
    element_.reset();
}

/// Whether the worker, which has looked at it, ends: it empties its mailbox.
bool tracked_element::is_destroyed_unhandled() const noexcept {
  if (to_.blocking != nullptr)
    return to_.blocking->mailbox().closed();
  return to_.has_mailbox && to_.scheduled->current_mailbox_element() != this;
}

/// An outer pool's element cannot begin if that pool has taken it back, or if
/// this element's pool, which has it, has ended: then the message goes
/// elsewhere.
tracked_element::use tracked_element::find_use() const noexcept {
  if (is_empty_)
    return is_recalled() ? use::empty : use::skipped;
  if (is_dropped_)
    return use::skipped;
  if (!is_destroyed_unhandled())
    return use::handled;
  auto is_bounced = mid.is_request() && sender != nullptr;
  return is_bounced ? use::bounced : use::skipped;
}

/// Whether the handler has thrown, or the worker has ended for an unusual
/// reason. An event-based worker whose handler has not thrown has answered its
/// request, or promised to.
bool tracked_element::has_crashed() {
  if (inside_ && inside_->how == outcome::failed) {
    reason_ = inside_->reason;
    return true;
  }
  if (runs_here() && std::uncaught_exceptions() > exceptions_) {
    reason_ = caf::exit_reason::unhandled_exception;
    return true;
  }
  if (can_begin() || to_.scheduled == nullptr)
    return false;
  reason_ = fail_state_of(*to_.actor);
  if (reason_ == caf::exit_reason::user_shutdown)
    reason_ = caf::error{};
  return has_thrown_ || (reason_ && !mid.is_request());
}

} // namespace libpool
