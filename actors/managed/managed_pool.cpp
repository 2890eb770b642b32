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
                           pool_options options)
  : pool_front(cfg),
    gathers_(how.gathers == nullptr
               ? nullptr
               : std::make_shared<const gathering>(*how.gathers)),
    collectors_(std::make_shared<collectors>(address(),
                                             static_cast<gather_owner*>(this))),
    threads_(home_system().scheduler().num_workers()),
    options_(how.options),
    pool_options_(std::move(options)),
    needs_extras_(options_.deadline || options_.on_settled != nullptr
                  || std::holds_alternative<retry>(options_.on_crash)
                  || options_.busy_until == busy_until::answer),
    asks_places_(options_.home_of != nullptr || options_.may_run_on != nullptr
                 || options_.move_cost != nullptr || options_.kind_of != nullptr
                 || options_.estimate_of != nullptr),
    replacements_(how.options.restart),
    hedging_(gathers_),
    dispatcher_(how.compose(), limits_of(how.options)) {
  measures_ = options_.measure_times || options_.deadline
              || dispatcher_.is_timed()
              || (gathers_ != nullptr && gathers_->hedge_after);
  options_.window = options_.window.value_or(how.window);
  register_at_system();
  if (auto& end_of_system = home_system().spawn_serv()) {
    system_ = caf::actor_cast<caf::actor_addr>(end_of_system);
    watch(*end_of_system->get(), *this, system_number);
  }
}

managed_pool::~managed_pool() {
  collectors_->close();
  for (auto& [number, who] : workers_)
    if (auto* pool = who->receiver.pool)
      pool->outer().remove(address(), number);
  if (auto system = caf::actor_cast<caf::strong_actor_ptr>(system_))
    unwatch(*system->get(), *this, system_number);
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
  if (number == system_number)
    return stop(caf::exit_reason::user_shutdown, host);
  tell([=](host_ptr here) { died(number, reason, here); }, host);
}

/// A pool that contains this one has no seats but those of this one: it gets
/// one message at a time, which comes back and is refused.
void managed_pool::worker_has_room(worker_number number,
                                   const room_report& report, host_ptr host) {
  auto has_room = [=](host_ptr here) {
    auto i = workers_.find(number);
    if (i == workers_.end())
      return;
    auto& who = *i->second;
    auto& passed = report.passed;
    auto comes_back = std::find(passed.begin(), passed.end(), serial_number())
                      != passed.end();
    auto seats = comes_back ? 1 : report.room.seats;
    auto has_nobody = seats == 0 && !report.room.expects_change;
    if (serves(who))
      seats_now_ = seats_now_ - who.seats + seats;
    dispatcher_.resized(who, seats, has_nobody, now());
    dispatcher_.roomy(who, now());
    if (!comes_back)
      tell_room(passed, report.is_for_all, here);
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
    if (auto i = workers_.find(number); i != workers_.end())
      dispatcher_.resumed(*i->second, now());
  };
  tell(may_go_on, host);
}

void managed_pool::answered(const std::shared_ptr<detour>& way, host_ptr host) {
  if (options_.busy_until != busy_until::answer)
    return;
  auto is_awaited = [this, way](host_ptr here) {
    if (way->task != nullptr && way->task->awaits_answer)
      finished(*way->task, ending::completed, here);
  };
  tell(is_awaited, host);
}

/// Whether new messages would have to wait, for something that will be told,
/// and need not be looked at before that.
bool managed_pool::messages_can_wait() const noexcept {
  auto would_wait = dispatcher_.is_busy()
                    || (dispatcher_.has_flows() && dispatcher_.is_saturated());
  auto may_be_refused = options_.capacity || dispatcher_.limits_flows()
                        || options_.too_wide == too_wide::refuse;
  return would_wait && !may_be_refused && !options_.deadline && !drains_
         && !ended_ && !serving_.empty();
}

/// Whether they need not even be made tasks before others end.
bool managed_pool::tasks_can_wait() const noexcept {
  return dispatcher_.is_busy() && messages_can_wait();
}

/// Whether even the time at which they come is of no interest: nobody measures,
/// or tasks have lately been so short that it hardly matters.
bool managed_pool::facts_can_wait() const noexcept {
  constexpr duration tiny = std::chrono::microseconds{10};
  auto tasks_are_tiny = lately_.count() > 0 && lately_ < tiny;
  return messages_can_wait() && (!measures_ || tasks_are_tiny);
}

/// Whether the caller is the one who handles facts.
bool managed_pool::is_handling() const noexcept {
  return handling_.load(std::memory_order_relaxed) == thread_number();
}

void managed_pool::begin_round() {
  handling_.store(thread_number(), std::memory_order_relaxed);
  now_.reset();
}

/// Does what has come of the facts. Returns what keeps the pool alive once it
/// need not be.
caf::strong_actor_ptr managed_pool::end_round(host_ptr host) {
  caf::strong_actor_ptr self;
  if (!replacements_.empty())
    replace_crashed();
  carry_out(host);
  if (drains_ || seats_now_ == 0)
    end_if_over(host);
  tell_room(host);
  arm();
  if (under_way_ == 0 && self_ != nullptr)
    self = std::move(self_);
  handling_.store(nobody, std::memory_order_relaxed);
  return self;
}

void managed_pool::handle(fact_inbox::fact what, host_ptr host) {
  switch (what.is) {
    case fact_inbox::kind::submitted:
      return arrived(caf::mailbox_element_ptr{what.element});
    case fact_inbox::kind::managing:
      return managing(caf::mailbox_element_ptr{what.element}, host);
    case fact_inbox::kind::ended:
      return end(static_cast<tracked_element&>(*what.element), host);
    case fact_inbox::kind::command: {
      caf::mailbox_element_ptr owner{what.element};
      return static_cast<command_element&>(*owner).run(host);
    }
  }
}

/// A worker is done with a tracked element.
void managed_pool::end(tracked_element& carrier, host_ptr host) {
  using use = tracked_element::use;
  auto* task = carrier.task();
  if (task == nullptr)
    return recycle(carrier); // it was recalled
  task->carrier = nullptr;
  if (task->to_inner != nullptr)
    std::exchange(task->to_inner, nullptr)->task = nullptr;
  if (carrier.used() == use::unopened)
    return came_unopened(*task, carrier);
  auto may_run_elsewhere = carrier.used() == use::skipped
                           || (carrier.used() == use::bounced
                               && task->way != nullptr);
  if (may_run_elsewhere && task->is != task::condition::overdue)
    return came_unhandled(*task, carrier);
  if (measures_) {
    now_ = carrier.ended_at();
    lately_ = std::max(lately_ - lately_ / 8,
                       carrier.ended_at() - carrier.started_at());
    task->cpu_time = carrier.cpu_time();
  }
  dispatcher_.started(*task, carrier.started_at());
  auto how = carrier.how();
  if (carrier.reason() && task->way != nullptr && !task->way->is_done())
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
  recycle(carrier);
  if (how == ending::completed && task->way != nullptr
      && options_.busy_until == busy_until::answer && !task->way->is_done()) {
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
  recycle(carrier);
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
  recycle(carrier);
  if (task.way != nullptr)
    task.way->forget_answer();
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
    dispatcher_.rested(worker, later(clock_now(), for_a_while), now());
  else if (serves(worker)) // has ended, or does not handle what it gets
    retire(worker, false, nullptr);
}

/// The worker has died, and still owes the answer.
void managed_pool::never_answers(managed_task& what, host_ptr host) {
  auto& worker = static_cast<managed_worker&>(*what.on);
  what.crash = worker.name + " died before it had answered";
  finished(what, ending::crashed, host);
}

/// Has the worker, which is in the scheduler, pause after having run for long:
/// sooner where other workers wait for a thread, later where only others do.
///
/// An actor of CAF runs for as long as something is in its mailbox. A worker
/// that gets its next task the moment it has ended one would never let go of
/// its thread while there are tasks, and others, which have been given one as
/// well, would never run.
void managed_pool::let_others_run(managed_worker& who, duration service) {
  using std::chrono::milliseconds;
  auto patience = serving_.size() > threads_ ? 1U : 10U;
  auto many = patience * 512U;
  auto long_time = patience * milliseconds{measures_ ? 1 : 10};
  who.ran += measures_ ? service : time_since_look(who);
  if (++who.ended < many && who.ran < long_time)
    return;
  who.ended = 0;
  who.ran = duration{0};
  dispatcher_.paused(who, now());
  auto goes_on = [self = caf::strong_actor_ptr{ctrl()}, this,
                  number = who.number](host_ptr host) {
    breath_taken(number, host);
  };
  call_later(home_system(), goes_on);
}

/// How long the worker's tasks have taken since the last look at the clock, if
/// it is time for another one; else zero. For where they are not measured: the
/// time in which the thread did not run counts as well.
duration managed_pool::time_since_look(managed_worker& who) const {
  constexpr auto between_looks = 64U;
  if (who.ended % between_looks != 0)
    return duration{0};
  auto now = clock_now();
  auto before = std::exchange(who.looked, now);
  return who.ended == 0 ? duration{0} : now - before;
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
  if (task.way == nullptr && !task.repeatable) {
    task.client = std::move(client.sender);
    task.id = client.id;
  }
}

void managed_pool::finished(managed_task& what, ending how, host_ptr host) {
  what.awaits_answer = false;
  if (how == ending::completed && what.way != nullptr
      && what.way->let_pass(host)) {
    what.answered_with_error = true;
    ++answered_with_error_;
  }
  dispatcher_.finished(what, how, now());
  came_back(what); // if it is to run again
}

} // namespace libpool
