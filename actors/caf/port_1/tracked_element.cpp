#include "libpool/actors/caf/port/tracked_element.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/queued_element.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_companion.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <utility>

namespace libpool {

task_ticket::~task_ticket() {
  if (element_ != nullptr)
    element_->lost_shell();
}

tracked_element::~tracked_element() {
  if (shell_is_home_) {
    caf::mailbox_element_ptr shell{shell_};
    shell->payload.get_mutable_as<task_ticket>(0).void_it();
  }
}

// -- of the owner -------------------------------------------------------------

void tracked_element::load(libpool::task& task,
                           caf::mailbox_element_ptr message, const receiver& to,
                           bool keeps_client) {
  auto* outer = from(*message);
  start_over(task, std::move(message), outer, to, keeps_client);
  is_given_ = false;
}

caf::mailbox_element_ptr tracked_element::take_shell() {
  if (shell_ == nullptr)
    shell_ =
      caf::make_mailbox_element(nullptr, {}, task_ticket{*this}).release();
  shell_is_home_ = false;
  return caf::mailbox_element_ptr{shell_};
}

/// A shell that does not arrive is destroyed, and says so; a request that does
/// not arrive has no sender then.
void tracked_element::send(execution_context* host) noexcept {
  try {
    if (takes_shells())
      to_.actor->enqueue(take_shell(), host);
    else
      ask_by_stand_in(host);
  } catch (...) { // NOLINT(bugprone-empty-catch): see above
  }
}

caf::mailbox_element_ptr tracked_element::unload() noexcept {
  auto content = std::exchange(kept_, caf::message{});
  auto sender = std::exchange(sender_, nullptr);
  if (keeps_message_ && use_ == use::handled)
    return caf::make_mailbox_element(std::move(sender), client_id_,
                                     std::move(content));
  return std::move(element_);
}

// -- of another pool ----------------------------------------------------------

bool tracked_element::open() {
  if (!begin())
    return false;
  if (is_given_)
    return true; // it was open
  auto& client = *message();
  shell_->sender = std::move(client.sender);
  shell_->mid = client.mid;
  exceptions_ = std::uncaught_exceptions();
  note_given(true);
  return true;
}

caf::message& tracked_element::content() noexcept {
  return message()->payload;
}

void tracked_element::goes_to(caf::abstract_actor& worker) noexcept {
  to_ = trackable(worker).value_or(receiver{&worker});
}

void tracked_element::pass_on(caf::mailbox_element_ptr element,
                              caf::abstract_actor& worker,
                              execution_context* host) {
  auto& tracked = *from(*element);
  tracked.goes_to(worker);
  if (tracked.takes_shells())
    worker.enqueue(std::move(element), host);
  else {
    tracked.came_home(std::move(element));
    tracked.ask_by_stand_in(host);
  }
}

void tracked_element::belongs_to(caf::strong_actor_ptr client) noexcept {
  message()->sender = std::move(client);
}

void tracked_element::give_back(errc why, std::string words) noexcept {
  is_dropped_ = has_started();
  inside_ = inner_end{outcome::refused, why, {}};
  thrown_ = std::move(words);
  if (is_dropped_ && shell_ != nullptr && shell_->sender != nullptr)
    message()->sender = std::move(shell_->sender); // it was opened
}

// -- of the worker's mailbox --------------------------------------------------

void tracked_element::came_home(caf::mailbox_element_ptr shell) noexcept {
  shell_ = shell.release();
  shell_is_home_ = true;
}

caf::mailbox_element_ptr tracked_element::begin_with_message() {
  if (has_started() && !can_begin())
    is_dropped_ = true; // skipped before, and its worker has quit since
  if (!begin())
    return nullptr;
  note_given(true);
  auto& given = message();
  given->enqueue_time = shell_->enqueue_time; // for CAF's metrics
  return std::move(given);
}

caf::mailbox_element_ptr
tracked_element::skipped(caf::mailbox_element_ptr skipped) {
  message() = std::move(skipped);
  note_given(false);
  return take_shell();
}

caf::mailbox_element_ptr& tracked_element::message() noexcept {
  return outer_ != nullptr ? outer()->message() : element_;
}

/// The message is in the outermost element, and that of all.
void tracked_element::note_given(bool is_given) noexcept {
  for (auto* i = this; i != nullptr; i = i->outer())
    i->is_given_ = is_given;
}

/// Returns whether the message is to be handled, as opposed to one that was
/// taken back, or that the worker would drop since it has quit.
bool tracked_element::begin() {
  if (stage_.load(std::memory_order_relaxed) == stage::started) {
    if (!is_given_)
      note_start(); // once more
    return !is_empty_ && !is_dropped_;
  }
  if (!can_begin())
    return false;
  if (!leave_queue())
    return false;
  if (outer_ != nullptr && !outer()->begin()) {
    is_empty_ = true;
    return false;
  }
  auto& client = *message();
  if (answers_to_ != nullptr)
    client.sender = std::move(answers_to_);
  if (keeps_message_)
    kept_ = client.payload;
  note_client(client.sender, client.mid);
  note_start();
  return true;
}

/// Whether the handler has returned, here and now, and its worker goes on.
inline bool tracked_element::has_ended_plainly() const noexcept {
  return !has_thrown_ && !inside_ && can_begin() && has_result();
}

/// The message that was handled makes room for `message`.
inline void tracked_element::reload(caf::mailbox_element_ptr message) noexcept {
  replace_message(std::move(message));
  is_given_ = false;
  stage_.store(stage::queued, std::memory_order_release);
}

bool tracked_element::goes_on() noexcept {
  if (lease_ == nullptr || !has_ended_plainly())
    return false;
  ended_at_ = now();
  const auto* further = lease_->take_next(started_at(), ended_at_);
  if (further == nullptr)
    return false;
  auto message = further->take();
  auto client_is_gone = has_lost_client(*message);
  reload(std::move(message)); // may be taken back from now on
  let_answer_pass(to_.scheduled->context());
  if (!client_is_gone)
    return true;
  use_ = use::unopened;
  give_back(errc::not_needed);
  return false;
}

void tracked_element::has_thrown(const caf::mailbox_element& message,
                                 const std::exception_ptr& thrown) noexcept {
  note_thrown(thrown, message.sender != nullptr);
}

void tracked_element::take_over_answer(caf::mailbox_element& message) noexcept {
  if (client_ == nullptr)
    return;
  was_open_ = false;
  message.sender = nullptr;
}

void tracked_element::came_back() noexcept {
  note_given(false);
  over();
}

void tracked_element::was_answered() noexcept {
  over();
}

void tracked_element::was_dropped(bool has_crashed) noexcept {
  has_thrown_ = has_crashed;
  over();
}

void tracked_element::over() noexcept {
  auto* host = end();
  owner_.ended(*this, host);
}

void tracked_element::lost_shell() noexcept {
  shell_ = nullptr;
  over();
}

/// Returns where the worker runs, if that is here.
execution_context* tracked_element::end() noexcept {
  if (passage_ != nullptr)
    passage_->way.sender = nullptr;
  if (!has_started())
    return nullptr; // the owner may be taking back the message of this element
  if (task_ == nullptr) {
    forget();
    return nullptr;
  }
  use_ = find_use();
  note_end();
  auto is_here = runs_here() && to_.scheduled != nullptr;
  auto* host = is_here ? to_.scheduled->context() : nullptr;
  reason_ = caf::error{};
  if (use_ == use::handled && has_crashed())
    how_ = ending::crashed;
  auto was_told = (has_thrown_ && was_open_) || inside_;
  if (how_ != ending::crashed || was_told) // by CAF, or by the worker
    client_ = nullptr;
  forget();
  return host;
}

/// Lets go of the client's message, unless it goes elsewhere. An element of
/// another pool is kept until this element's owner knows how the task has
/// ended.
void tracked_element::forget() noexcept {
  if (task_ != nullptr && use_ == use::skipped)
    return;
  if (task_ == nullptr || outer_ == nullptr)
    element_.reset();
}

/// An outer pool's element cannot begin if that pool has taken it back, or if
/// this element's pool, which has it, has ended: then the message goes
/// elsewhere.
tracked_element::use tracked_element::find_use() const noexcept {
  if (!has_started())
    return use::unopened;
  if (is_empty_)
    return is_recalled() ? use::empty : use::skipped;
  return is_dropped_ || !is_given_ ? use::skipped : use::handled;
}

/// Whether the handler has thrown, or the worker has ended for an unusual
/// reason. A worker whose handler has not thrown has answered its request, or
/// promised to.
bool tracked_element::has_crashed() {
  if (inside_ && inside_->how == outcome::failed) {
    reason_ = inside_->reason;
    return true;
  }
  if (runs_here() && std::uncaught_exceptions() > exceptions_) {
    reason_ = caf::sec::runtime_error;
    return true;
  }
  if (to_.blocking != nullptr && has_thrown_)
    reason_ = caf::sec::runtime_error;
  if (can_begin() || !to_.has_mailbox)
    return has_thrown_;
  reason_ = to_.scheduled->fail_state();
  if (reason_ == caf::exit_reason::user_shutdown)
    reason_ = caf::error{};
  return has_thrown_ || (reason_ && !client_id_.is_request());
}

} // namespace libpool
