/// How a managed pool carries out what its dispatcher decides.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

// -- decisions ----------------------------------------------------------------

void managed_pool::carry_out(host_ptr host) {
  decide();
  while (!dispatcher_.decisions().empty()) {
    batch_.clear();
    batch_.swap(dispatcher_.decisions());
    for (auto& each : batch_)
      carry_out(each, host);
    decide();
  }
}

/// Has the dispatcher send what can be sent.
void managed_pool::decide() {
  dispatcher_.dispatch(now());
  while (!backlog_.empty() && !dispatcher_.is_busy() && seats_now_ > 0) {
    take_from_backlog();
    dispatcher_.dispatch(now());
  }
}

void managed_pool::carry_out(const decision& what, host_ptr host) {
  auto* task = static_cast<managed_task*>(what.what);
  auto* worker = static_cast<managed_worker*>(what.who);
  switch (what.is) {
    case decision::kind::send:
      return send(*task, *worker, host);
    case decision::kind::recall:
      return recall(*task, *worker);
    case decision::kind::settle:
      return settle(*task, what, host);
    case decision::kind::release:
      return recycle(*task);
    case decision::kind::dismiss:
      return dismiss(*worker, host);
  }
}

void managed_pool::send(managed_task& what, managed_worker& to, host_ptr host) {
  if (what.on != &to || what.is != task::condition::sent
      || what.carrier != nullptr)
    return; // was taken back before it was sent
  if (what.is_request && client_is_gone(what))
    return dispatcher_.cancelled(what, errc::client_gone, now());
  if (what.what == nullptr)
    make_again(what);
  if (!prepare(what, to) || (to.is_pool && !announce(what)))
    return dispatcher_.cancelled(what, what.lost, now());
  if (options_.on_settled != nullptr)
    what.worker = to.handle;
  auto& carrier = new_carrier();
  what.carrier = &carrier;
  carrier.load(what, std::move(what.what), to.receiver, what.way == nullptr);
  carrier.answer_to(std::move(what.stand_in));
  carrier.announce(what.to_inner);
  if (what.outer != nullptr) // and not in what is sent
    carrier.descend_from(static_cast<tracked_element&>(*what.outer).line());
  if (what.gather != nullptr) {
    carrier.descend_from(what.gather->before);
    gathers_.was_sent(what);
  }
  try {
    to.receiver.actor->enqueue(caf::mailbox_element_ptr{&carrier}, host);
  } catch (...) { // NOLINT(bugprone-empty-catch): the element tells
  }
}

/// Sees to it that a message of another pool can be sent to the worker. Returns
/// false if it cannot: `lost` says why.
bool managed_pool::prepare(managed_task& task, const managed_worker& to) {
  auto* outer = tracked_element::from(*task.what);
  if (outer == nullptr)
    return true;
  task.lost = errc::not_needed; // as far as that pool is concerned
  if (task.repeatable)
    return open_outer(task);
  return to.receiver.lets_recall ? !outer->is_recalled() : outer->hold();
}

/// Takes the message out of the other pool's element, which has begun then, so
/// that it can be sent more than once. Returns false if that is not possible.
bool managed_pool::open_outer(managed_task& task) {
  auto& outer = static_cast<tracked_element&>(*task.what);
  if (!outer.open())
    return false;
  task.outer = std::move(task.what);
  task.id = outer.mid;
  task.client = task.stand_in != nullptr ? std::move(task.stand_in)
                                         : std::move(outer.sender);
  try {
    task.content = outer.move_content_to_message();
  } catch (...) {
    task.crash = what_is_thrown();
    task.lost = errc::policy_failed;
    return false;
  }
  task.what = caf::make_mailbox_element(task.client, task.id, {}, task.content);
  if (task.way != nullptr)
    task.client = nullptr; // whether the worker drops it must show
  return true;
}

/// Lets the pool that is the worker know of the message before it begins.
/// Returns false if that is not possible.
bool managed_pool::announce(managed_task& task) {
  task.has_extras = true;
  auto& element = *task.what;
  auto by = std::make_shared<passage>();
  by->owner = address();
  by->task = &task;
  if (tracked_element::from(element) != nullptr) {
    auto& outer = *task.from_outer;
    by->id = outer.id;
    by->sender = task.stand_in != nullptr ? task.stand_in : outer.sender;
    by->content = outer.content;
  } else if (keep_content(task)) {
    by->id = element.mid;
    by->sender = element.sender;
    by->stages = element.stages;
    by->content = task.content;
    task.what = caf::make_mailbox_element(std::move(element.sender), by->id,
                                          std::move(element.stages),
                                          task.content);
    if (!task.repeatable)
      task.content = caf::message{};
  } else {
    task.lost = errc::policy_failed;
    return false;
  }
  task.to_inner = std::move(by);
  return true;
}

bool managed_pool::client_is_gone(const managed_task& what) {
  if (what.gather != nullptr)
    return what.gather->id.is_request() && what.gather->client != nullptr
           && is_dead(*what.gather->client->get());
  if (what.way != nullptr)
    return what.way->client_is_gone();
  auto* client = what.what->sender.get();
  return client != nullptr && is_dead(*client->get());
}

/// Makes the message of a task that has crashed a worker once more.
void managed_pool::make_again(managed_task& what) {
  if (what.way != nullptr)
    if (auto client = what.way->close()) {
      what.way->task = nullptr;
      take_detour(what, *std::move(client), true);
    }
  what.what = caf::make_mailbox_element(what.client, what.id, {}, what.content);
  if (what.way != nullptr)
    what.client = nullptr; // whether the worker drops it must show
}

void managed_pool::recall(managed_task& what, managed_worker& from) {
  if (what.on != &from || !what.recalled || what.is != task::condition::sent)
    return; // has come back by itself
  if (what.carrier == nullptr) {
    dispatcher_.returned(what, now());
    return gathers_.came_back(what);
  }
  using result = tracked_element::recall_result;
  // A blocking worker would stumble over what a recall leaves behind.
  auto came = from.receiver.lets_recall ? what.carrier->recall()
                                        : result::is_held;
  if (came == result::done) {
    auto& carrier = *std::exchange(what.carrier, nullptr);
    take_back(what, carrier);
    if (what.to_inner != nullptr)
      std::exchange(what.to_inner, nullptr)->task = nullptr;
    dispatcher_.returned(what, now());
    gathers_.came_back(what);
  } else if (came == result::has_started || what.unwanted != errc{}) {
    dispatcher_.started(what, now());
  } else {
    dispatcher_.kept(what);
  }
}

void managed_pool::settle(managed_task& what, const decision& by,
                          host_ptr host) {
  caf::error why;
  if (by.how != outcome::completed) {
    why = error_of(what, by);
    fail(what, by, why, host);
  }
  if (options_.on_settled != nullptr)
    tell_settled(what, by, why);
}

namespace {

/// Whether another pool, whose message was refused for that, may have somebody
/// else handle it.
bool goes_elsewhere(errc why) noexcept {
  return why == errc::queue_full || why == errc::flow_full
         || why == errc::pool_closed || why == errc::no_workers;
}

} // namespace

/// Tells whoever is to know that the task has not been completed.
void managed_pool::fail(managed_task& task, const decision& by,
                        const caf::error& why, host_ptr host) {
  if (task.what != nullptr)
    if (auto* outer = tracked_element::from(*task.what)) {
      if (goes_elsewhere(by.why)) {
        if (by.why != errc::pool_closed)
          was_full_at_ = progress();
        return outer->give_back(by.why);
      }
      if (!outer->open())
        return; // it was taken back
    }
  tell_outer(task, by, why, host);
  if (by.how == outcome::refused && !task.is_request)
    refuse(*task.what, why, host);
  else
    answer_error(task, why, host);
}

/// Tells the pool whose message this is, if it is one's, what has become of it.
void managed_pool::tell_outer(managed_task& task, const decision& by,
                              const caf::error& why, host_ptr host) {
  if (task.from_outer == nullptr)
    return;
  auto& element = task.what != nullptr && task.outer == nullptr ? task.what
                                                                : task.outer;
  if (element != nullptr && task.carrier == nullptr)
    static_cast<tracked_element&>(*element).settled({by.how, by.why, why});
  if (task.is == task::condition::overdue) // it will be a while until that ends
    tell_settled_inside(task.from_outer, by.why, host);
}

caf::error managed_pool::error_of(const managed_task& what,
                                  const decision& by) const {
  if (by.how == outcome::refused && by.why == errc::pool_closed && ended_)
    return caf::sec::request_receiver_down; // as of any actor that has ended
  auto is_known = by.how == outcome::failed || by.why == errc::policy_failed
                  || by.why == errc::too_few_workers;
  if (is_known && !what.crash.empty())
    return make_error(by.why, what.crash);
  if (by.why == errc::worker_down && what.gather == nullptr)
    return make_error(by.why, "all workers that may run it have left");
  if (by.why == errc::no_workers && !factory_problem_.empty())
    return make_error(by.why, factory_problem_);
  return by.why;
}

/// Tells the client of a request, wherever that is known now.
void managed_pool::answer_error(managed_task& what, const caf::error& why,
                                host_ptr host) {
  auto content = caf::make_message(why);
  if (what.way != nullptr) {
    if (auto client = what.way->close())
      answer(*std::move(client), ctrl(), std::move(content), host);
    return;
  }
  if (what.what == nullptr) {
    if (what.id.is_request())
      answer({what.client, what.id, {}}, ctrl(), std::move(content), host);
    return;
  }
  if (what.what->mid.is_request())
    answer({what.what->sender, what.what->mid, {}}, ctrl(), std::move(content),
           host);
}

void managed_pool::tell_settled(const managed_task& what, const decision& by,
                                const caf::error& why) {
  settled_task result;
  result.number = by.how == outcome::refused ? 0 : what.number;
  result.how = by.how;
  result.reason = why;
  result.client = what.asker;
  result.id = what.asked;
  result.worker = what.worker;
  result.accepted = what.accepted;
  result.started = what.started;
  result.settled = now();
  result.steals = what.steals;
  result.answered_with_error = what.answered_with_error;
  try {
    options_.on_settled(result);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

// -- nodes --------------------------------------------------------------------

managed_task& managed_pool::new_task() {
  hold();
  return free_tasks_.take();
}

tracked_element& managed_pool::new_carrier() {
  hold();
  return free_carriers_.take([this] {
    auto* clock = measures_ ? &home_system().clock() : nullptr;
    auto counts = dispatcher_.measures() == measure::cpu_time;
    element_owner& owner = *this;
    return std::make_unique<tracked_element>(owner, clock, counts);
  });
}

void managed_pool::recycle(managed_task& what) {
  --under_way_;
  if (what.gather != nullptr)
    gathers_.left(what);
  what.what = nullptr;
  if (std::exchange(what.has_extras, false)) {
    if (what.way != nullptr)
      what.way->task = nullptr;
    what.way = nullptr;
    what.content = caf::message{};
    what.client = nullptr;
    what.worker = nullptr;
    what.id = caf::message_id{};
    what.asker = nullptr;
    what.asked = caf::message_id{};
    what.crash.clear();
    what.deadline = never;
    what.answered_with_error = false;
    what.stand_in = nullptr;
    what.from_outer = nullptr;
    if (what.to_inner != nullptr)
      std::exchange(what.to_inner, nullptr)->task = nullptr;
    libpool::let_go(std::move(what.outer));
  }
  if (asks_places_) {
    if (auto* where = std::exchange(what.where, nullptr))
      restrictions_.give_back(*where);
    what.home = std::nullopt;
    what.estimate = std::nullopt;
    what.move = duration{0};
  }
  if (dispatcher_.has_flows()) {
    what.flow = flow_key{};
    what.width = 1;
  }
  what.accepted = never;
  what.started = never;
  free_tasks_.give_back(what);
}

void managed_pool::recycle(tracked_element& what) {
  --under_way_;
  free_carriers_.give_back(what);
}

/// Something is under way: the pool must not go before that has come back.
void managed_pool::hold() {
  if (under_way_++ == 0 && self_ == nullptr)
    self_ = ctrl();
}

/// The time of this round of facts.
instant managed_pool::now() {
  if (!measures_)
    return {};
  if (!now_)
    now_ = home_system().clock().now();
  return *now_;
}

} // namespace libpool
