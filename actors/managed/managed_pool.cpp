#include "libpool/actors/managed/managed_pool.hpp"

#include "libpool/actors/caf/command_element.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/scheduled_call.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/caf/work_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/core/thread_number.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace libpool {

namespace {

limits limits_of(const managed_options& options) {
  limits result;
  result.capacity = options.capacity.value_or(result.capacity);
  result.on_overflow = options.on_overflow;
  result.poison_after = options.poison_after;
  result.too_wide = options.too_wide;
  if (auto* again = std::get_if<retry>(&options.on_crash))
    result.retries = again->times;
  return result;
}

} // namespace

managed_pool::managed_pool(caf::actor_config& cfg, const managed_policy& how,
                           const pool_options& options)
  : pool_front(cfg),
    gathers_(how.gathers == nullptr
               ? nullptr
               : std::make_shared<const gathering>(*how.gathers)),
    collectors_(std::make_shared<collectors>(address(),
                                             static_cast<gather_owner*>(this))),
    options_(how.options),
    spawning_(how.options.restart),
    endings_(how.options.when_empty),
    answers_(ctrl(), *this, options_, options),
    intake_(options_, dispatcher_, answers_),
    hedging_(gathers_),
    dispatcher_(how.compose(), limits_of(how.options)),
    clock_(home_system().clock(), *this,
           options_.measure_times || options_.deadline || dispatcher_.is_timed()
             || (gathers_ != nullptr && gathers_->hedge_after)),
    sharing_(home_system().scheduler().num_workers()) {
  options_.window = options_.window.value_or(how.window);
  register_at_system();
  endings_.watch(home_system(), *this);
}

managed_pool::~managed_pool() {
  collectors_->close();
  for (auto* who : roster_.all())
    if (auto* pool = who->receiver.pool)
      pool->outer().remove(address(), who->number);
  endings_.unwatch_system(*this);
}

const char* managed_pool::name() const {
  return options_.name.c_str();
}

// -- facts --------------------------------------------------------------------

void managed_pool::enqueue(caf::mailbox_element_ptr what, host_ptr host) {
  using kind = fact_inbox::kind;
  // What another managed pool sends may have passed this one: no delay there.
  auto is_plain = tracked_element::from(*what) == nullptr;
  auto manages = is_plain
                 && (is_control_message(what->content().type_token())
                     || what->mid.is_response())
                 && !work_element::is(*what);
  fact_inbox::fact mine{manages ? kind::managing : kind::submitted,
                        what.release()};
  auto may_wait = is_plain && !manages;
  if (!may_wait || !loop_.put_down(mine))
    loop_.tell(mine, host);
}

/// It pays to wait for a moment: if the worker gets its next task before this
/// returns, it goes on with that, and need not be scheduled again.
void managed_pool::ended(tracked_element& what, host_ptr host) noexcept {
  constexpr auto patience = 50;
  loop_.tell({fact_inbox::kind::ended, &what}, host,
             is_handling() ? 0 : patience);
}

void managed_pool::tell(command what, host_ptr host) {
  loop_.tell({fact_inbox::kind::command, new command_element(std::move(what))},
             host);
}

void managed_pool::worker_died(worker_number number, const caf::error& reason,
                               host_ptr host) {
  if (number == endings::system_number)
    return stop(caf::exit_reason::user_shutdown, host);
  tell([=](host_ptr here) { died(number, reason, here); }, host);
}

/// A pool that contains this one has no seats but those of this one: it gets
/// one message at a time, which comes back and is refused.
void managed_pool::worker_has_room(worker_number number,
                                   const room_report& report, host_ptr host) {
  auto has_room = [=](host_ptr here) {
    auto* found = roster_.find(number);
    if (found == nullptr)
      return;
    auto& who = *found;
    auto comes_back = room_.is_own(report);
    auto seats = comes_back ? 1 : report.room.seats;
    auto has_nobody = seats == 0 && !report.room.expects_change;
    roster_.resizes(who, seats);
    dispatcher_.resized(who, seats, has_nobody, now());
    dispatcher_.roomy(who, now());
    if (!comes_back)
      tell_room(room_.inner_changed(room_now(), report), here);
  };
  tell(has_room, host);
}

void managed_pool::settled_inside(const std::shared_ptr<passage>& of, errc why,
                                  host_ptr host) {
  auto is_settled = [this, of, why](host_ptr) {
    if (of->task == nullptr)
      return; // it has ended since
    dispatcher_.started(*of->task, now());
    dispatcher_.cancelled(*of->task, why, now());
  };
  tell(is_settled, host);
}

void managed_pool::tell_settled_inside(const std::shared_ptr<passage>& of,
                                       errc why, host_ptr host) {
  if (auto pool = caf::actor_cast<caf::strong_actor_ptr>(of->owner))
    static_cast<managed_pool*>(pool->get())->settled_inside(of, why, host);
}

void managed_pool::time_is_up(host_ptr host) {
  auto time_has_passed = [this](host_ptr here) {
    ticked();
    hedge_due(here);
  };
  tell(time_has_passed, host);
}

void managed_pool::breath_taken(worker_number number, host_ptr host) {
  auto may_go_on = [this, number](host_ptr) {
    if (auto* who = roster_.find(number))
      dispatcher_.resumed(*who, now());
  };
  tell(may_go_on, host);
}

void managed_pool::answered(const std::shared_ptr<reply_interceptor>& by,
                            host_ptr host) {
  if (options_.busy_until != busy_until::answer)
    return;
  auto is_awaited = [this, by](host_ptr here) {
    if (by->task != nullptr && by->task->awaits_answer)
      finished(*by->task, ending::completed, here);
  };
  tell(is_awaited, host);
}

/// Whether the caller is the one who handles facts.
bool managed_pool::is_handling() const noexcept {
  return handling_.load(std::memory_order_relaxed) == thread_number();
}

void managed_pool::begin_round() {
  handling_.store(thread_number(), std::memory_order_relaxed);
  clock_.round_begins();
}

/// Does what has come of the facts. Returns what keeps the pool alive once it
/// need not be.
caf::strong_actor_ptr managed_pool::end_round(host_ptr host) {
  if (spawning_.missing() > 0)
    replace_crashed();
  carry_out(host);
  if (endings_.drains() || roster_.seats() == 0)
    end_if_over(host);
  tell_room(room_.round_ended(room_now(), dispatcher_.books()), host);
  arm();
  auto self = recycler_.release();
  handling_.store(nobody, std::memory_order_relaxed);
  return self;
}

void managed_pool::handle(fact_inbox::fact what, host_ptr host) {
  switch (what.is) {
    case fact_inbox::kind::submitted:
      return arrived(caf::mailbox_element_ptr{what.what});
    case fact_inbox::kind::managing:
      return managing(caf::mailbox_element_ptr{what.what}, host);
    case fact_inbox::kind::ended:
      return end(static_cast<tracked_element&>(*what.what), host);
    case fact_inbox::kind::command: {
      caf::mailbox_element_ptr owner{what.what};
      return static_cast<command_element&>(*owner).run(host);
    }
  }
}

/// A worker is done with a tracked element.
void managed_pool::end(tracked_element& carrier, host_ptr host) {
  using use = tracked_element::use;
  auto* task = carrier.task();
  if (task == nullptr)
    return recycler_.give_back(carrier); // it was recalled
  task->carrier = nullptr;
  if (task->to_inner != nullptr)
    std::exchange(task->to_inner, nullptr)->task = nullptr;
  if (carrier.used() == use::unopened)
    return came_unopened(*task, carrier);
  auto may_run_elsewhere = carrier.used() == use::skipped
                           || (carrier.used() == use::bounced
                               && task->interceptor != nullptr);
  if (may_run_elsewhere && task->is != task::condition::overdue)
    return came_unhandled(*task, carrier);
  if (clock_.measures()) {
    clock_.task_ended(carrier.started_at(), carrier.ended_at());
    task->cpu_time = carrier.cpu_time();
  }
  dispatcher_.started(*task, carrier.started_at());
  auto how = carrier.how();
  if (carrier.reason() && task->interceptor != nullptr
      && !task->interceptor->is_done())
    how = ending::crashed; // promised to answer, and never will
  if (how == ending::crashed)
    examine(*task, carrier);
  if (carrier.used() == use::empty)
    dispatcher_.cancelled(*task, errc::not_needed, now());
  else if (carrier.inside() && carrier.inside()->how != outcome::failed)
    dispatcher_.cancelled(*task, carrier.inside()->why, now());
  auto& worker = static_cast<managed_worker&>(*task->on);
  if (host != nullptr && worker.takes_turns)
    let_others_run(worker, carrier.ended_at() - carrier.started_at());
  if (auto left = carrier.unload();
      left != nullptr && tracked_element::from(*left) != nullptr)
    task->outer = std::move(left);
  recycler_.give_back(carrier);
  if (how == ending::completed && task->interceptor != nullptr
      && options_.busy_until == busy_until::answer
      && !task->interceptor->is_done()) {
    task->awaits_answer = true;
    if (task->on->is == worker::condition::gone)
      never_answers(*task, host); // its death was told before
  } else {
    finished(*task, how, host);
  }
}

/// The worker has not even looked at the message.
void managed_pool::came_unopened(managed_task& task, tracked_element& carrier) {
  auto why = carrier.given_back();
  take_back(task, carrier);
  recycler_.give_back(carrier);
  if (task.is == task::condition::overdue) // a blocking worker never looked
    return dispatcher_.finished(task, ending::crashed, now());
  judge(static_cast<managed_worker&>(*task.on), why);
  dispatcher_.unhandled(task, now());
  came_back(task);
}

/// The worker had skipped the message when it ended.
void managed_pool::came_unhandled(managed_task& task,
                                  tracked_element& carrier) {
  auto why = carrier.given_back();
  take_back(task, carrier);
  recycler_.give_back(carrier);
  if (task.interceptor != nullptr)
    task.interceptor->forget_answer();
  judge(static_cast<managed_worker&>(*task.on), why);
  dispatcher_.unhandled(task, now());
  came_back(task);
}

/// Takes the message out of what has carried it, so that it can be sent again.
void managed_pool::take_back(managed_task& task, tracked_element& carrier) {
  task.what = carrier.unload();
  task.stand_in = carrier.take_answer_to();
  if (task.what == nullptr)
    return;
  if (auto* outer = tracked_element::from(*task.what))
    outer->let_go();
}

/// Decides what becomes of a worker that has given something back, for this
/// reason, if it has said one.
void managed_pool::judge(managed_worker& worker, errc why) {
  using std::chrono::milliseconds;
  constexpr auto for_a_while = milliseconds{10};
  if (is_closed(worker.receiver))
    return dispatcher_.left(worker, now()); // before its death is told
  switch (why) {
    case errc::not_needed:
      return;
    case errc::queue_full:
    case errc::flow_full:
    case errc::no_workers:
      return dispatcher_.rested(worker, never, now()); // until it has room
    default:
      break;
  }
  if (why == errc{} && worker.receiver.pool != nullptr)
    dispatcher_.rested(worker, later(clock_.look(), for_a_while), now());
  else if (roster_.serves(worker)) // has ended, or does not handle what it gets
    retire(worker, false, nullptr);
}

/// The worker has died, and still owes the answer.
void managed_pool::never_answers(managed_task& what, host_ptr host) {
  auto& worker = static_cast<managed_worker&>(*what.on);
  what.crash = worker.name + " died before it had answered";
  finished(what, ending::crashed, host);
}

/// Has the worker, which is in the scheduler, pause after having run for long.
void managed_pool::let_others_run(managed_worker& who, duration service) {
  if (!sharing_.has_to_pause(who, roster_.size(), service, clock_))
    return;
  dispatcher_.paused(who, now());
  auto goes_on = [self = caf::strong_actor_ptr{ctrl()}, this,
                  number = who.number](host_ptr host) {
    breath_taken(number, host);
  };
  call_later(home_system(), goes_on);
}

/// Notes what is known of the crash.
void managed_pool::examine(managed_task& task, tracked_element& carrier) {
  task.has_extras = true;
  auto& worker = static_cast<managed_worker&>(*task.on);
  auto cause = carrier.thrown().empty()
                 ? words_of(carrier.reason(), home_system())
                 : carrier.thrown();
  task.crash = worker.name + " crashed: " + cause;
  auto client = carrier.take_client();
  if (task.interceptor == nullptr && !task.repeatable) {
    task.client = std::move(client.sender);
    task.id = client.id;
  }
}

void managed_pool::finished(managed_task& what, ending how, host_ptr host) {
  what.awaits_answer = false;
  if (how == ending::completed && what.interceptor != nullptr
      && what.interceptor->let_pass(host)) {
    what.answered_with_error = true;
    ++answered_with_error_;
  }
  dispatcher_.finished(what, how, now());
  came_back(what); // if it is to run again
}

} // namespace libpool
