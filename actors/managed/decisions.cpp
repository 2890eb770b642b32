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
  while (!intake_.waiting().empty() && !dispatcher_.is_busy()
         && roster_.seats() > 0) {
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
  if (answers_.tells_settled())
    what.worker = to.handle;
  auto& carrier = new_carrier();
  what.carrier = &carrier;
  carrier.load(what, std::move(what.what), to.receiver,
               what.interceptor == nullptr);
  carrier.answer_to(std::move(what.stand_in));
  carrier.announce(what.to_inner);
  if (what.outer != nullptr) // and not in what is sent
    carrier.descend_from(static_cast<tracked_element&>(*what.outer).line());
  if (what.gather != nullptr) {
    carrier.descend_from(what.gather->before);
    hedging_.first_was_asked(*what.gather, now());
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
  if (task.interceptor != nullptr)
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
  if (what.interceptor != nullptr)
    return what.interceptor->client_is_gone();
  auto* client = what.what->sender.get();
  return client != nullptr && is_dead(*client->get());
}

/// Makes the message of a task that has crashed a worker once more.
void managed_pool::make_again(managed_task& what) {
  if (what.interceptor != nullptr)
    if (auto client = what.interceptor->close()) {
      what.interceptor->task = nullptr;
      answers_.intercept(what, *std::move(client), true);
    }
  what.what = caf::make_mailbox_element(what.client, what.id, {}, what.content);
  if (what.interceptor != nullptr)
    what.client = nullptr; // whether the worker drops it must show
}

void managed_pool::recall(managed_task& what, managed_worker& from) {
  if (what.on != &from || !what.recalled || what.is != task::condition::sent)
    return; // has come back by itself
  if (what.carrier == nullptr) {
    dispatcher_.returned(what, now());
    return came_back(what);
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
    came_back(what);
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
    why = error_of(what, by, {endings_.has_ended(), spawning_.problem()});
    fail(what, by, why, host);
  }
  if (answers_.tells_settled())
    answers_.tell_settled(what, by, why, now());
}

/// Tells whoever is to know that the task has not been completed.
void managed_pool::fail(managed_task& task, const decision& by,
                        const caf::error& why, host_ptr host) {
  using outer_message = answers::outer_message;
  auto outer = answers::tell_outer(task, by, why);
  if (outer == outer_message::given_back && by.why != errc::pool_closed)
    room_.was_full(dispatcher_.books());
  if (outer != outer_message::settled)
    return;
  if (task.from_outer != nullptr && task.is == task::condition::overdue)
    tell_settled_inside(task.from_outer, by.why, host); // will still run
  answers_.tell_client(task, by, why, host);
}

// -- nodes --------------------------------------------------------------------

tracked_element& managed_pool::new_carrier() {
  return recycler_.take_carrier([this] {
    auto* clock = clock_.timer();
    auto counts = dispatcher_.measures() == measure::cpu_time;
    element_owner& owner = *this;
    return std::make_unique<tracked_element>(owner, clock, counts);
  });
}

void managed_pool::recycle(managed_task& what) {
  if (what.gather != nullptr)
    left_gather(what);
  what.what = nullptr;
  if (std::exchange(what.has_extras, false)) {
    if (what.interceptor != nullptr)
      what.interceptor->task = nullptr;
    what.interceptor = nullptr;
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
  intake_.forget(what);
  what.accepted = never;
  what.started = never;
  recycler_.give_back(what);
}

} // namespace libpool
