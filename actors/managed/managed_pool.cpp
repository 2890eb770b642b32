#include "libpool/actors/managed/managed_pool.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/command_element.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/round_size.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/splitmix64.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>
#include <variant>

namespace libpool {

namespace {

/// The options alone: the pool makes its composition and its gathers of the
/// rest, and does not keep that.
managed_setup options_of(const managed_setup& setup) {
  auto result = setup;
  result.compose = nullptr;
  result.gathers = nullptr;
  if (result.same_as.key_of != nullptr || result.batch)
    result.busy_until = busy_until::answer; // all tasks of a run get it
  return result;
}

/// `number`: number of the pool as an actor, by which pools draw different
/// random numbers.
limits limits_of(const managed_setup& options, std::uint64_t number) {
  limits result;
  result.capacity = options.capacity.value_or(result.capacity);
  result.on_overflow = options.on_overflow;
  result.poison_after = options.poison_after;
  result.too_wide = options.too_wide;
  result.throttles = options.throttles;
  result.by_flow = options.throttled_by != nullptr;
  result.backoff = options.backoff;
  if (options.retry_on != nullptr && !result.backoff)
    result.backoff = retry_backoff{};
  result.budget = options.retry_budget;
  result.time_limit = options.time_limit;
  result.shed = options.shed;
  if (const auto& same = options.same_as; same.key_of != nullptr) {
    result.joint.emplace().most = same.most;
    result.joint->joins_running = same.mode == join_mode::join_running;
    result.joint->in_turn = same.mode == join_mode::latest;
  }
  result.drop_hopeless = options.drop_hopeless;
  result.due_at_once = most_in_round;
  if (const auto& batch = options.batch) {
    auto& joint = result.joint.emplace();
    joint.most = batch->most;
    joint.bytes = batch->bytes;
    joint.wait = batch->wait;
    joint.is_batch = true;
  }
  result.leases.most = options.leases ? lease_size::most : 1;
  result.seed = splitmix64::mixed(number);
  if (auto* again = std::get_if<retry>(&options.on_crash))
    result.retries = again->times;
  return result;
}

} // namespace

managed_pool::managed_pool(caf::actor_config& cfg, const managed_setup& setup,
                           const pool_options& options)
  : delivering(cfg),
    options_(options_of(setup)),
    endings_(setup.when_empty),
    answers_(ctrl(), *this, recycler_, options_, options),
    intake_(home_system(), options_, dispatcher_, answers_),
    staff_(*this, options_, dispatcher_, clock_, gathers_, intake_.nodes(),
           endings_),
    gathers_(setup.gathers.get(),
             {*this, recycler_, staff_.workers(), endings_, intake_,
              dispatcher_, clock_, answers_.tells_settled()}),
    dispatcher_(setup.compose(asks_places(setup)),
                limits_of(setup, id() + fnv_1a(to_string(node())))),
    clock_(clock_of(home_system()), *this,
           options_.measure_times || options_.deadline
             || options_.deadline_of != nullptr || dispatcher_.needs().is_timed
             || gathers_.book().has_patience()),
    statistics_(home_system(), {options_, staff_, answers_, intake_, gathers_,
                                dispatcher_, clock_}),
    batches_(options_),
    settlement_(options_, dispatcher_, clock_, recycler_, intake_, answers_,
                gathers_, staff_, batches_),
    flight_(*this, options_, dispatcher_, clock_, recycler_, intake_, gathers_,
            staff_, batches_, settlement_),
    dispatching_(dispatcher_, clock_, endings_, gathers_, staff_, flight_,
                 settlement_),
    arrivals_(*this, options_, dispatcher_, clock_, recycler_, endings_,
              intake_, gathers_, staff_, flight_),
    pauses_(*this, dispatcher_, clock_, endings_, staff_, flight_),
    cancellation_(options_, dispatcher_, clock_, endings_, intake_, gathers_,
                  flight_),
    lifetime_(*this, dispatcher_, clock_, recycler_, endings_, staff_,
              dispatching_, pauses_),
    desk_(answers_, endings_, settlement_, staff_, pauses_, cancellation_,
          lifetime_, statistics_) {
  register_at_system();
  intake_.begin(gathers_.are_on());
  endings_.watch(home_system(), *this);
}

managed_pool::~managed_pool() {
  endings_.unwatch_system(*this);
}

const char* managed_pool::name() const {
  return options_.name.c_str();
}

void managed_pool::populate(std::size_t n, const factory& make_worker) {
  auto make_workers = [&] {
    try {
      staff_.populate(n, make_worker);
      return std::exception_ptr{};
    } catch (...) {
      return std::current_exception();
    }
  };
  if (auto failed = ask(make_workers); failed != nullptr)
    std::rethrow_exception(failed);
}

void managed_pool::open_to_nodes(caf::strong_actor_ptr entrance) {
  intake_.nodes().open(std::move(entrance));
}

void managed_pool::serves(const std::weak_ptr<failed_messages>& queue) {
  tell([this, queue](host_ptr) { statistics_.serves(queue); }, nullptr);
}

std::shared_ptr<failed_messages> managed_pool::queue() {
  return ask([this] { return statistics_.queue(); });
}

// -- facts --------------------------------------------------------------------

void managed_pool::deliver(caf::mailbox_element_ptr&& element, host_ptr host) {
  using kind = fact_inbox::kind;
  auto is_work = intake::is_plain_work(*element);
  auto may_wait = is_work && !element->mid.is_urgent_message();
  // The options and the system first: other threads write next to the rest.
  if (options_.nodes && may_wait && intake_.packs_early())
    intake_.pack(element);
  if (options_.busy_until == busy_until::answer && is_work)
    if (const auto* record = arrivals_.handled_by_sender(*element)) {
      auto* request = element.release();
      auto take_request = [this, request, record](host_ptr) {
        arrivals_.asked_by_handler(caf::mailbox_element_ptr{request}, *record);
      };
      return tell(take_request, host);
    }
  fact_inbox::fact mine{may_wait ? kind::submitted : kind::managing,
                        element.release()};
  auto look = [this] { return clock_of(home_system()).now(); };
  if (!may_wait || !loop_.put_down(mine, look))
    tell(mine, host);
}

void managed_pool::tell(command fact, host_ptr host) {
  fact_inbox::fact told{fact_inbox::kind::command,
                        new command_element(std::move(fact))};
  tell(told, host);
}

void managed_pool::tell(fact_inbox::fact told, host_ptr host) {
  loop_.tell(told, host);
}

void managed_pool::worker_died(worker_number number, const caf::error& reason,
                               host_ptr host) {
  if (number == endings::system_number)
    return tell([this](host_ptr here) { system_ended(here); }, host);
  tell([=](host_ptr here) { flight_.worker_died(number, reason, here); }, host);
}

void managed_pool::worker_has_room(worker_number number,
                                   const room_report& report, host_ptr host) {
  tell([=](host_ptr here) { staff_.room_changed(number, report, here); }, host);
}

void managed_pool::time_is_up(host_ptr host) {
  auto time_has_passed = [this](host_ptr here) {
    auto time = clock_.woke();
    flight_.tell_ends();
    dispatcher_.ticked(time);
    gathers_.time_passed(clock_.look(), here);
    answers_.answer_due(time, here);
  };
  tell(time_has_passed, host);
}

void managed_pool::stop(const caf::error& reason, host_ptr host) {
  tell([this, reason](host_ptr here) { lifetime_.end(reason, here); }, host);
}

/// No user is left who could stop workers that were taken out, and that never
/// handle what they have begun.
void managed_pool::system_ended(host_ptr host) {
  constexpr auto reason = caf::exit_reason::user_shutdown;
  if (!endings_.is_end_of(home_system()))
    return;
  lifetime_.end(reason, host);
  answers_.forget_owed();
  staff_.stop_all(reason, host);
}

/// Nothing refers to the pool, and no worker has a message of it. Messages that
/// wait do so in vain. A thread that converts an address to a reference can be
/// in the pool at the same time.
void managed_pool::unreachable() {
  tell([this](host_ptr host) { lifetime_.vanish(host); }, nullptr);
}

// -- facts of elements --------------------------------------------------------

/// It pays to wait for a moment: if the worker gets its next task before this
/// returns, it goes on with that, and need not be scheduled again.
void managed_pool::ended(tracked_element& carrier, host_ptr host) noexcept {
  constexpr auto patience = 50;
  loop_.tell({fact_inbox::kind::ended, &carrier}, host,
             loop_.is_handling() ? 0 : patience);
}

void managed_pool::went_on(const caf::strong_actor_ptr& sender,
                           host_ptr host) noexcept {
  interceptor_behind(sender)->let_pass(host);
}

/// Where answers are intercepted, the sender of each request in a lease is an
/// interceptor.
bool managed_pool::has_lost_client(const caf::strong_actor_ptr& sender) const {
  return intake_.intercepts() ? interceptor_behind(sender)->client_is_gone()
                              : is_client_gone(sender);
}

/// Called only where answers are intercepted.
bool managed_pool::has_result(const caf::strong_actor_ptr& sender) const {
  return interceptor_behind(sender)->is()
         == reply_interceptor::state::succeeded;
}

void managed_pool::began_inside(const std::shared_ptr<passage>& passage,
                                instant began, host_ptr host) {
  auto note_begin = [this, passage, began](host_ptr here) {
    flight_.began_inside(*passage, began, here);
  };
  tell(note_begin, host);
}

std::shared_ptr<const task_facts>
managed_pool::facts_of(const tracked_element& handled) {
  return ask([this, &handled] { return flight_.facts_of(handled); });
}

void managed_pool::answered(
  const std::shared_ptr<reply_interceptor>& interceptor, host_ptr host) {
  tell([this, interceptor](
         host_ptr here) { settlement_.answered(*interceptor, here); },
       host);
}

void managed_pool::settled_inside(const std::shared_ptr<passage>& sent,
                                  errc why, host_ptr host) {
  auto settle = [this, sent, why](host_ptr) {
    if (sent->task == nullptr)
      return; // it has ended since
    dispatcher_.started(*sent->task, clock_.now());
    dispatcher_.cancelled(*sent->task, why, clock_.now());
  };
  tell(settle, host);
}

// -- rounds -------------------------------------------------------------------

void managed_pool::handle(fact_inbox::fact told, host_ptr host) {
  switch (told.is()) {
    case fact_inbox::kind::submitted:
      return arrivals_.arrived(message_of(told), clock_.now());
    case fact_inbox::kind::managing: { // or a message that is in a hurry
      auto element = message_of(told);
      if (!desk_.manage(*element, host))
        arrivals_.arrived(std::move(element), clock_.now());
      return;
    }
    case fact_inbox::kind::ended:
      return flight_.element_ended(*told.as<tracked_element>(), host);
    case fact_inbox::kind::command: {
      std::unique_ptr<command_element> owner{told.as<command_element>()};
      return owner->run(host);
    }
  }
}

/// Messages arrived before the time until which they may stay in the inbox, if
/// they may.
void managed_pool::handle_all(fact_iterator first, const fact_iterator& last,
                              host_ptr host) {
  const auto until = loop_.was_patient_until();
  for (; first != last; ++first)
    if (first->is() == fact_inbox::kind::submitted)
      arrivals_.arrived(message_of(*first), until == fact_inbox::impatient
                                              ? clock_.now()
                                              : std::min(clock_.now(), until));
    else
      handle(*first, host);
}

/// Carries out the decisions that follow from the facts. Returns what keeps the
/// pool alive once it need not be.
caf::strong_actor_ptr managed_pool::end_round(host_ptr host) {
  dispatching_.end_round(host);
  lifetime_.round_ends(host);
  pauses_.round_ends(host);
  while (answers_.has_noted()) {
    answers_.report_settled(); // functions of the user may cancel messages
    dispatching_.carry_out(host);
  }
  lifetime_.answer_if_idle(host);
  staff_.publish_room(host);
  arm();
  statistics_.show_metrics();
  if (dispatching_.goes_on())
    go_on(host);
  settlement_.round_ends(host);
  return recycler_.release(lifetime_.waiting_in_vain());
}

/// Has a later round do more of what is left to do. Facts that others have told
/// meanwhile are handled before.
void managed_pool::go_on(host_ptr host) {
  auto do_portion = [this](host_ptr here) {
    goes_on_ = false;
    dispatching_.do_portion(here);
  };
  if (!std::exchange(goes_on_, true))
    tell(do_portion, host);
}

/// Sets the time at which the pool is woken.
void managed_pool::arm() {
  auto due = std::min({dispatcher_.next_tick(), gathers_.next_tick(),
                       answers_.next_tick(), staff_.next_tick()});
  if (due != never)
    clock_.wake_at(due);
  else if (endings_.has_ended())
    clock_.wake_never();
}

// -- commands of users --------------------------------------------------------

cancel_counts managed_pool::cancel(const selection& selected) {
  throw_if(cancellation_.objection_to(selected));
  if (loop_.is_handling())
    return cancellation_.cancel(selected);
  auto result = std::make_shared<std::promise<cancel_counts>>();
  auto cancel_all = [this, &selected, result](host_ptr) {
    auto counts = cancellation_.cancel(selected);
    settlement_.when_told([=](host_ptr) { result->set_value(counts); });
  };
  tell(cancel_all, nullptr);
  return result->get_future().get();
}

void managed_pool::cancel_messages(const inner_messages& messages,
                                   bool answers_early, host_ptr host) {
  if (messages.announced.empty())
    return;
  auto cancel_all = [this, cancelled = announced_messages{messages},
                     answers_early](host_ptr) {
    cancellation_.cancel(cancelled, answers_early);
  };
  tell(cancel_all, host);
}

bool managed_pool::tells_begin(const element_record& element, host_ptr host) {
  auto tell_begin = [this, sent = element.announced()](host_ptr here) {
    cancellation_.tell_begin(sent, here);
  };
  tell(tell_begin, host);
  return true;
}

void managed_pool::cancel_requests(const client_requests& requests,
                                   host_ptr host) {
  tell([this, requests](host_ptr) { cancellation_.cancel(requests); }, host);
}

caf::error managed_pool::pause(const pause_scope& scope) {
  return ask([this, &scope] { return pauses_.pause(scope, nullptr); });
}

caf::error managed_pool::resume(const pause_scope& scope) {
  return ask([this, &scope] { return pauses_.resume(scope, nullptr); });
}

caf::error managed_pool::set_limits(const throttles& within) {
  return ask([this, &within] { return pauses_.set_limits(within); });
}

caf::error managed_pool::set_policy_values(const policy_values& values) {
  return ask([this, &values] { return pauses_.set_policy_values(values); });
}

void managed_pool::when_idle(std::function<void(errc)> told) {
  auto answer = [told = std::move(told)](errc why, host_ptr) { told(why); };
  tell([this, answer](host_ptr host) { lifetime_.await_idle(answer, host); },
       nullptr);
}

void managed_pool::keep_waiting(bool wait) {
  auto change = [this, wait](host_ptr) {
    endings_.change(wait ? when_empty::wait : when_empty::refuse);
  };
  tell(change, nullptr);
}

caf::error managed_pool::objection_to_size(std::uint64_t n) {
  return ask([this, n] { return staff_.objection_to_size(n); });
}

bool managed_pool::keep_to_nodes() {
  return ask([this] { return staff_.keep_to_nodes(); });
}

// -- statistics ---------------------------------------------------------------

pool_stats managed_pool::stats() {
  return ask([this] {
    flight_.look_at(dispatcher_.tasks().sent());
    return statistics_.all();
  });
}

/// What was recorded until now is forgotten.
void managed_pool::record(const recorder_limits& within) {
  auto begin = [this, within](host_ptr) {
    flight_.tell_ends();
    statistics_.record(within);
  };
  tell(begin, nullptr);
}

recording managed_pool::recorded(instant since) {
  return ask([this, since] {
    flight_.look_at(dispatcher_.tasks().sent());
    return statistics_.recorded(since);
  });
}

pool_stats managed_pool::summary() {
  return ask([this] {
    flight_.tell_ends();
    flight_.look_at(dispatcher_.tasks().sent(statistics::most_looked_at));
    return statistics_.summary();
  });
}

} // namespace libpool
