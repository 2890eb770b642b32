/// How a message that is gathered begins and ends.

#include "libpool/actors/managed/gathers.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/gather/collector.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/round_size.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

gathers::gathers(const gathering* how, caf::actor_addr self,
                 surroundings around)
  : around_(std::move(around)),
    how_(how == nullptr ? nullptr : std::make_unique<gathering>(*how)),
    plan_(how == nullptr ? nullptr : how->plan->clone()),
    asks_(how == nullptr ? libpool::scatter{} : plan_->asks()),
    collectors_(how == nullptr ? nullptr
                               : std::make_shared<collectors>(
                                 plan_, how->ordered, std::move(self), this)),
    hedging_(plan_) {
  // nop
}

gathers::~gathers() {
  if (collectors_ != nullptr)
    collectors_->close();
}

// -- the beginning ------------------------------------------------------------

void gathers::scatter(managed_task& task, instant came) {
  using target = libpool::scatter::target;
  if (auto* outer = tracked_element::from(*task.element))
    if (!outer->open()) // it was taken back; one that has waited is accepted
      return task.has_waited ? turn_away(task, errc::not_needed, came)
                             : recycle(task);
  try {
    auto join = how_->join->clone();
    switch (asks_.to) {
      case target::parts:
        return ask_for_parts(task, std::move(join), came);
      case target::everybody:
        return ask_everybody(task, std::move(join), came);
      case target::some:
        return ask_some(task, std::move(join), came);
    }
  } catch (...) {
    task.own_extras().crash = thrown_text();
    turn_away(task, errc::policy_failed, came);
  }
}

void gathers::ask_for_parts(managed_task& task, std::unique_ptr<joiner> join,
                            instant came) {
  auto content = take_content(*task.element);
  message_parts parts;
  try {
    parts = split(content);
  } catch (...) {
    put_back(task.element, std::move(content));
    throw;
  }
  if (!around_.dispatcher.can_hold(parts.size())) {
    note_too_many(parts.size(), task);
    put_back(task.element, std::move(content));
    return turn_away(task, errc::too_many_parts, came);
  }
  if (!around_.dispatcher.has_room_for(parts.size())) {
    put_back(task.element, std::move(content));
    return turn_away(task, errc::queue_full, came);
  }
  auto& message = begin(task, std::move(join), parts.size(), came);
  message.has_places = around_.dispatcher.reserve(parts.size());
  message.rest = std::move(parts);
  make_tasks(message, most_in_round);
  if (!message.rest.empty()) {
    unmade_.push_back(&message);
    around_.tasks.hold();
  }
}

void gathers::make_tasks(gather& message, std::size_t most) {
  for (; most > 0 && message.next < message.rest.size(); --most) {
    auto part = message.next++;
    ask(message, part, std::move(message.rest[part]), nullptr);
  }
  if (message.next == message.rest.size())
    forget_rest(message);
}

void gathers::make_more(std::size_t most) {
  auto& message = *unmade_.front();
  unmade_.pop_front();
  make_tasks(message, most);
  if (!message.rest.empty())
    unmade_.push_back(&message);
  else
    around_.tasks.let_go();
}

void gathers::forget_rest(gather& message) {
  message.rest = {};
  message.next = 0;
  message.has_places = false;
}

/// Returns the parts of the message, at least one.
message_parts gathers::split(caf::message& content) const {
  auto is_empty = [](const caf::message& part) { return part.empty(); };
  auto parts = call_user("split", how_->split, content);
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_empty),
              parts.end());
  if (parts.empty())
    throw std::invalid_argument{"split: must return at least 1 part, got none"};
  return parts;
}

/// Notes why the message, which has that many parts, is refused.
void gathers::note_too_many(std::size_t parts, managed_task& task) const {
  auto places = around_.dispatcher.places();
  task.own_extras().crash =
    std::to_string(parts) + " parts, but the capacity is "
    + std::to_string(around_.dispatcher.capacity()) + ", and the workers have "
    + std::to_string(places) + (places == 1 ? " place" : " places");
}

void gathers::ask_everybody(managed_task& task, std::unique_ptr<joiner> join,
                            instant came) {
  auto workers = around_.workers.serving();
  if (workers.empty())
    return turn_away(task, errc::no_workers, came);
  auto content = take_content(*task.element);
  auto& message = begin(task, std::move(join), workers.size(), came);
  if (asks_.asks_more)
    message.content = content;
  for (std::size_t i = 0; i < workers.size(); ++i)
    ask(message, i, content, workers[i]);
}

void gathers::ask_some(managed_task& task, std::unique_ptr<joiner> join,
                       instant came) {
  auto is_any_worker = asks_any_worker();
  auto workers = least_used();
  auto n = is_any_worker ? 1 : number_to_ask(workers);
  if (n < asks_.needed) {
    task.own_extras().crash =
      std::to_string(asks_.needed) + " answers required, but the pool has "
      + std::to_string(n) + (n == 1 ? " worker" : " workers");
    return turn_away(task, errc::too_few_workers, came);
  }
  auto content = take_content(*task.element);
  auto& message = begin(task, std::move(join), n, came);
  message.content = content;
  for (std::size_t i = 0; i < n; ++i)
    ask(message, i, content, is_any_worker ? nullptr : workers[i]);
}

/// Paused workers are asked only if others are too few.
std::size_t
gathers::number_to_ask(const std::vector<managed_worker*>& workers) const {
  auto is_paused = [](const auto* each) { return each->suspended; };
  auto first_paused = std::find_if(workers.begin(), workers.end(), is_paused);
  auto active = static_cast<std::size_t>(first_paused - workers.begin());
  return std::min(
    {asks_.asked, std::max(active, asks_.needed), workers.size()});
}

/// A single worker need not be a particular one, unless others are asked for
/// the votes before it has begun.
bool gathers::asks_any_worker() const noexcept {
  return asks_.to == libpool::scatter::target::some && asks_.asked == 1
         && !asks_.asks_more;
}

/// Takes a collector, which waits for answers on behalf of the client.
gather& gathers::begin(managed_task& task, std::unique_ptr<joiner> join,
                       std::size_t parts, instant came) {
  auto& message = new_gather();
  message.collector = take_collector(around_.system, collectors_);
  message.client = task.element->sender;
  message.id = task.element->mid;
  message.came = came;
  message.parts = parts;
  message.is_awaited = asks_.asks_more;
  if (auto* tracked = tracked_element::from(*task.element))
    message.before = tracked->line();
  hedging_.message_came();
  collector_behind(message.collector)
    .expect(message, parts, std::move(join), std::move(task.element));
  recycle(task);
  return message;
}

void gathers::turn_away(managed_task& task, errc why, instant came) {
  around_.intake.turn_away(task, why, came, around_.clock.now());
}

/// Gives back the task of a message that is gathered, or was taken back.
void gathers::recycle(managed_task& task) {
  around_.intake.forget(task);
  around_.tasks.give_back(task);
}

/// Makes a task of a part, for `worker` alone unless that is nullptr.
void gathers::ask(gather& message, std::size_t part, caf::message content,
                  managed_worker* worker) {
  auto& task = around_.tasks.take_task();
  task.gather = &message;
  task.part = part;
  message.tasks.push_back(task);
  if (worker != nullptr) {
    task.own_notes().where = &worker->alone;
    give_to(task, *worker);
  }
  task.has_place = message.has_places;
  task.urgent = message.id.is_urgent_message();
  task.is_request = true;
  if (around_.tells_settled) {
    auto& note = task.own_extras().note;
    if (message.id.is_request())
      note.asker = message.client;
    note.asked = message.id;
  }
  task.element = make_element(
    message.collector,
    collector_behind(message.collector).request_id(part, task.urgent),
    std::move(content));
  around_.intake.take_in(task, message.came, around_.clock.now());
  if (message.is_awaited)
    message.flow = task.notes().flow;
}

/// No other worker than this one may run the task.
void gathers::give_to(managed_task& task, managed_worker& worker) {
  task.is_for_one = true;
  task.asked_of = &worker;
  worker.asked.push_back(task);
  task.gather->asked.push_back(worker.number);
}

// -- the end ------------------------------------------------------------------

void gathers::decided(gather& message, caf::strong_actor_ptr collector,
                      host_ptr host) {
  auto is_over = [this, &message, collector = std::move(collector)](host_ptr) {
    auto was_awaited = std::exchange(message.is_awaited, false);
    if (!was_awaited && message.collector != collector)
      return;                 // it is that of another message by now
    message.client = nullptr; // has its answer, and may end
    message.is_decided = true;
    cancel_rest(message);
    if (was_awaited && message.tasks.empty())
      end(message);
  };
  around_.tell(std::move(is_over), host);
}

/// Tasks that have not begun are not needed.
void gathers::cancel_rest(gather& message) {
  hedging_.forget(message);
  if (!asks_.stops_rest)
    return;
  if (auto i = std::find(unmade_.begin(), unmade_.end(), &message);
      i != unmade_.end()) {
    unmade_.erase(i);
    if (message.has_places)
      around_.dispatcher.unreserve(message.rest.size() - message.next);
    forget_rest(message);
    around_.tasks.let_go();
  }
  for (auto& task : message.tasks) {
    auto has_begun = task.extras().awaits_answer
                     || (task.carrier != nullptr
                         && task.carrier->has_started());
    if (!has_begun)
      around_.dispatcher.cancelled(task, errc::not_needed, around_.clock.now());
  }
}

void gathers::left(managed_task& task) {
  auto& of = *std::exchange(task.gather, nullptr);
  of.tasks.erase(of.tasks.iterator_to(task));
  if (task.asked_of != nullptr)
    task.asked_of->asked.erase(task.asked_of->asked.iterator_to(task));
  task.asked_of = nullptr;
  if (std::exchange(task.is_for_one, false))
    task.own_notes().where = nullptr; // others are shared
  if (of.sent != never && task.part == 0)
    hedging_.first_has_answered(around_.clock.now() - of.sent);
  if (!of.tasks.empty() || !of.rest.empty())
    return;
  hedging_.forget(of);
  if (!of.is_awaited)
    return end(of);
  auto collector = std::move(of.collector); // ends unless it waits or wants
}

gather& gathers::new_gather() {
  if (free_.empty())
    free_.push_back(all_.emplace_back(std::make_unique<gather>()).get());
  auto* result = free_.back();
  free_.pop_back();
  return *result;
}

void gathers::end(gather& message) {
  auto collector = std::move(message.collector); // let go of at the very end
  message.client = nullptr;
  message.before = nullptr;
  message.content = caf::message{};
  message.asked.clear();
  message.is_hedged = false;
  message.is_cancelled = message.is_decided = false;
  message.sent = never;
  free_.push_back(&message);
}

} // namespace libpool
