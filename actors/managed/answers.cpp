#include "libpool/actors/managed/answers.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/log.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/packer.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/time_to_begin.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace libpool {

namespace {

/// Whether an outer pool, whose message was refused for that, may have another
/// worker handle it.
bool goes_elsewhere(errc why) noexcept {
  return why == errc::queue_full || why == errc::flow_full
         || why == errc::pool_closed || why == errc::no_workers;
}

/// Assigns the text if it differs. Most texts equal those of the previous task.
void set(std::string& target, std::string_view text) {
  if (target != text)
    target = text;
}

void fill(settled_task& result, const managed_task& task,
          const message_note& note, const decision& decision,
          const caf::error& why, instant when) {
  result.number = decision.how == outcome::refused ? 0 : task.number;
  result.how = decision.how;
  result.reason = why;
  result.client = note.asker;
  result.id = note.asked;
  const auto& extras = task.extras();
  result.worker = extras.worker;
  result.worker_number = std::nullopt;
  if (extras.last_worker)
    result.worker_number = static_cast<std::uint64_t>(*extras.last_worker);
  set(result.node, extras.node);
  set(result.flow, task.flow.key().name());
  set(result.kind, note.types != nullptr ? *note.types : note.kind);
  set(result.trace, note.trace);
  result.accepted = task.accepted;
  result.started = task.started;
  result.settled = when;
  result.steals = task.notes().steals;
  result.crashes = task.notes().crashes;
  result.retried_errors = task.notes().errors;
  result.answered_with_error = extras.answered_with_error;
  result.joined = extras.joined;
}

bool has_begun(const managed_task& task) noexcept {
  return task.notes().crashes > 0 || task.started != never;
}

/// The outcome of the task for an outer pool. A pool that fails a task before
/// any worker has begun with it has not crashed.
outcome outcome_outside(const managed_task& task, outcome manner) noexcept {
  return manner == outcome::failed && !has_begun(task) ? outcome::cancelled
                                                       : manner;
}

/// The element of an outer pool in which the message of the task has come,
/// while no handler has begun with the message; nullptr if there is none.
tracked_element* unhandled_outer(const managed_task& task) noexcept {
  if (task.element == nullptr)
    return nullptr;
  if (auto* unopened = tracked_element::from(*task.element))
    return unopened;
  return task.extras().outer != nullptr && !has_begun(task)
           ? tracked_element::from(*task.extras().outer)
           : nullptr;
}

/// Gives the element back, with the client that the interceptor of the task
/// stood for if it was opened, and with the content if that was taken.
void give_back(managed_task& task, tracked_element& outer, errc why) {
  auto& extras = task.own_extras();
  auto client = extras.interceptor != nullptr ? extras.interceptor->close()
                                              : std::nullopt;
  if (extras.outer != nullptr) {
    if (extras.interceptor == nullptr)
      client = take_return_path(*task.element);
    put_back(extras.outer, take_content(*task.element));
  }
  if (client && outer.has_started())
    outer.belongs_to(std::move(client->sender));
  outer.give_back(why);
}

/// Directs the answer to the message to `interceptor`. An asynchronous message
/// becomes a request if its answer is shared.
void replace_client(caf::mailbox_element& message,
                    caf::strong_actor_ptr interceptor,
                    reply_interceptor::hold held_answers) {
  message.sender = std::move(interceptor);
  if (held_answers == reply_interceptor::hold::shared)
    message.mid = as_request(message.mid);
}

/// Calls a function of the user's, whose exceptions are dropped, as documented.
template <class F, class T>
void call_quietly(const F& f, const T& argument) {
  try {
    f(argument);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

} // namespace

answers::answers(caf::actor_control_block* pool, interceptor_owner& owner,
                 recycler& used, const managed_options& options,
                 const pool_options& refusals)
  : pool_(pool),
    owner_(owner),
    recycler_(used),
    on_settled_(options.on_settled),
    slow_(options.slow_after),
    on_slow_(options.on_slow),
    on_refused_(refusals.on_refused) {
  // nop
}

// -- of messages --------------------------------------------------------------

/// The answer has no sender if the pool is being destroyed.
void answers::send(return_path path, caf::message content,
                   host_ptr host) const {
  answer(std::move(path), reach(caf::actor_cast<caf::actor_addr>(pool_)),
         std::move(content), host);
}

void answers::confirm(caf::mailbox_element& element, const caf::error& result,
                      host_ptr host) const {
  if (result)
    refuse(element, result, host);
  else if (element.mid.is_request())
    send(take_return_path(element), {}, host);
}

void answers::refuse(caf::mailbox_element& element, caf::error why,
                     host_ptr host) const {
  if (element.mid.is_request())
    return send(take_return_path(element), caf::make_message(std::move(why)),
                host);
  if (on_refused_ == nullptr)
    return;
  try {
    refusal told{std::move(element.sender), element.mid,
                 unpacked(*pool_->home_system, take_content(element)),
                 std::move(why)};
    on_refused_(told);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

// -- of tasks -----------------------------------------------------------------

void answers::intercept(managed_task& task, return_path client,
                        reply_interceptor::hold held_answers) const {
  auto& extras = task.own_extras();
  extras.client = nullptr;
  extras.interceptor = std::make_shared<reply_interceptor>(std::move(client),
                                                           held_answers);
  extras.interceptor->task = &task;
  auto sender = actor_for(extras.interceptor);
  if (extras.from_outer != nullptr && extras.outer == nullptr)
    extras.stand_in = std::move(sender);
  else if (task.element != nullptr)
    replace_client(*task.element, std::move(sender), held_answers);
  else
    extras.client = std::move(sender);
}

caf::strong_actor_ptr answers::actor_for(
  const std::shared_ptr<reply_interceptor>& interceptor) const {
  return make_interceptor_actor(*pool_->home_system, interceptor);
}

answers::outer_message answers::tell_outer(managed_task& task,
                                           const decision& decision,
                                           const caf::error& why) {
  auto* unhandled = unhandled_outer(task);
  if (unhandled != nullptr && goes_elsewhere(decision.why)) {
    give_back(task, *unhandled, decision.why);
    return outer_message::given_back;
  }
  auto* unopened =
    task.element != nullptr ? tracked_element::from(*task.element) : nullptr;
  if (unopened != nullptr && !unopened->open())
    return outer_message::taken_back;
  if (task.extras().from_outer == nullptr)
    return outer_message::settled;
  const auto& extras = task.extras();
  const auto& element = task.element != nullptr && extras.outer == nullptr
                          ? task.element
                          : extras.outer;
  if (element != nullptr && task.carrier == nullptr)
    tracked_element::from(*element)->settled(
      {outcome_outside(task, decision.how), decision.why, why});
  return outer_message::settled;
}

void answers::tell_client(managed_task& task, const decision& decision,
                          const caf::error& why, host_ptr host) const {
  if (decision.how == outcome::refused && !task.is_request
      && task.element != nullptr)
    refuse(*task.element, why, host);
  else
    answer_error(task, why, host);
}

/// Answers a request, wherever its client is known now.
void answers::answer_error(managed_task& task, const caf::error& why,
                           host_ptr host) const {
  auto content = caf::make_message(why);
  const auto& extras = task.extras();
  if (extras.interceptor != nullptr) {
    if (auto client = extras.interceptor->close(); client && task.is_request)
      send(*std::move(client), std::move(content), host);
  } else if (task.element != nullptr) {
    if (task.element->mid.is_request())
      send({task.element->sender, task.element->mid}, std::move(content), host);
  } else if (extras.id.is_request()) {
    send({extras.client, extras.id}, std::move(content), host);
  }
}

void answers::tell_result(managed_task& task, worker_answer result,
                          host_ptr host) {
  const auto& interceptor = task.extras().interceptor;
  if (!task.is_request
      || (interceptor == nullptr
          && tracked_element::from(*task.element) != nullptr))
    return;
  auto client = interceptor != nullptr
                  ? interceptor->close()
                  : std::optional{take_return_path(*task.element)};
  if (client)
    answer(*std::move(client), std::move(result.sender),
           std::move(result.content), host);
}

void answers::note_error(const error_kind& error, const flow_key& flow,
                         const std::string* kind) {
  constexpr auto code_bits = 8;
  errors_.note((error.category << code_bits) ^ error.code, flow, kind,
               [&] { return name_of(error); });
}

// -- of handlers --------------------------------------------------------------

bool answers::await(reply_interceptor& request) const {
  return request.await(caf::actor_cast<caf::actor_addr>(pool_), owner_);
}

bool answers::handler_returned(
  const std::shared_ptr<reply_interceptor>& request, instant deadline,
  const flow_key& flow, const std::string* kind) {
  if (auto failure = request->failure()) {
    note_error(*failure, flow, kind);
    return true;
  }
  if (deadline != never && await(*request)) {
    recycler_.hold();
    owed_.add({request, flow, kind != nullptr ? *kind : std::string{}},
              deadline);
  }
  return false;
}

void answers::came_late(reply_interceptor& request) {
  auto owed = owed_.remove(request);
  if (!owed)
    return;
  recycler_.let_go();
  if (auto failure = request.failure())
    note_error(*failure, owed->flow, &owed->kind);
}

void answers::answer_due(instant now, host_ptr host) {
  while (auto owed = owed_.take_due(now)) {
    recycler_.let_go();
    auto client = owed->request->close();
    if (!client)
      continue;
    auto why = make_error(errc::deadline_exceeded);
    note_error(kind_of(why), owed->flow, &owed->kind);
    send(*std::move(client), caf::make_message(std::move(why)), host);
  }
}

void answers::forget_owed() noexcept {
  recycler_.let_go(owed_.clear());
}

void answers::note_settled(const managed_task& task, const message_note& note,
                           const decision& decision, const caf::error& why,
                           instant when) {
  auto is_slow = task.started != never && slow_.is_slow(when - task.started);
  if (on_settled_ == nullptr && !is_slow)
    return;
  if (noted_ == untold_.size())
    untold_.emplace_back();
  fill(untold_[noted_++], task, note, decision, why, when);
}

/// A function of the user may ask the pool for statistics, so further outcomes
/// may be noted during the calls.
void answers::report_settled() {
  if (noted_ == 0 || std::exchange(is_telling_, true))
    return;
  for (std::size_t i = 0; i < noted_; ++i) {
    auto& told = untold_[i];
    if (on_settled_ != nullptr)
      call_quietly(on_settled_, told);
    if (told.started != never)
      tell_slow(told);
    told.client = nullptr;
    told.worker = nullptr;
    told.reason = caf::error{};
  }
  noted_ = 0;
  if (untold_.size() > lease_size::most)
    untold_.resize(lease_size::most);
  is_telling_ = false;
}

void answers::tell_slow(const settled_task& task) {
  auto untold = slow_.ran(task.settled - task.started, task.settled);
  if (!untold)
    return;
  slow_task told{task, *untold};
  auto& system = *pool_->home_system;
  log_warning(system, name_of(*pool_->get()) + ": " + describe(told));
  if (on_slow_ != nullptr)
    call_quietly(on_slow_, told);
}

caf::error error_of(const managed_task& task, const decision& decision,
                    const pool_condition& pool) {
  if (decision.how == outcome::refused && decision.why == errc::pool_closed
      && pool.has_ended)
    return caf::sec::request_receiver_down; // as of any actor that has ended
  // These errors say elsewhere that a message has not begun.
  if (task.notes().crashes > 0 && !task.extras().crash.empty()
      && (decision.why == errc::no_workers || decision.why == errc::queue_full))
    return make_error(pool.is_client ? errc::front_lost : errc::worker_crashed,
                      task.extras().crash);
  auto is_known = decision.how == outcome::failed
                  || decision.why == errc::policy_failed
                  || decision.why == errc::too_few_workers
                  || decision.why == errc::too_many_parts
                  || decision.why == errc::not_serializable;
  auto is_front = pool.is_client && decision.why == errc::node_lost;
  if (is_known && !task.extras().crash.empty())
    return make_error(is_front ? errc::front_lost : decision.why,
                      task.extras().crash);
  if (decision.why == errc::worker_down && gather_of(task) == nullptr)
    return make_error(decision.why,
                      "all workers that may run the task have left");
  if (decision.why == errc::no_workers && pool.is_client)
    return make_error(errc::not_connected,
                      "no program that serves the pool answers");
  if (decision.why == errc::no_workers && !pool.factory_problem.empty())
    return make_error(decision.why, pool.factory_problem);
  return decision.why;
}

namespace {

constexpr std::size_t none = 0;

/// Returns the mean service time since the pool was made; zero if unknown.
duration mean_service(const worker_record& all) noexcept {
  auto ended = all.completed + all.failed;
  return ended > 0 ? all.busy / static_cast<duration::rep>(ended) : duration{0};
}

/// Returns the time after which another try makes sense, if it is known. While
/// the waiting tasks of a flow go to workers, each other flow has a turn
/// for each of these tasks, unless fewer tasks wait.
std::optional<duration> retry_after(const managed_task& task, errc why,
                                    const dispatcher& dispatcher,
                                    std::size_t seats) {
  const auto& gates = dispatcher.gates();
  const auto& books = dispatcher.books();
  backlog of_all{
    books.waiting + books.assigned + dispatcher.leases().followers(), seats,
    mean_service(dispatcher.record().all), gates.pool().within};
  if (dispatcher.workers().is_suspended() || of_all.within.most_running == none)
    return std::nullopt;
  if (why == errc::queue_full)
    return time_to_begin(of_all);
  const auto& name = task.flow.key().name();
  auto line = dispatcher.line_for(task);
  of_all.waiting = std::min(of_all.waiting, line.waiting * line.flows);
  auto of_flow = of_all;
  of_flow.waiting = line.waiting;
  of_flow.within = gates.limits_for(name);
  if (line.waiting == 0 || gates.is_paused(name)
      || of_flow.within.most_running == none)
    return std::nullopt;
  return std::max(time_to_begin(of_all), time_to_begin(of_flow));
}

} // namespace

caf::error refusal_of(const managed_task& task, errc why,
                      const dispatcher& dispatcher, std::size_t seats) {
  auto time = retry_after(task, why, dispatcher, seats);
  return time ? make_error(why, *time) : make_error(why);
}

} // namespace libpool
