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

gathers::gathers(const gathering* options, const surroundings& around)
  : around_(around),
    how_(options == nullptr ? nullptr : std::make_unique<gathering>(*options)),
    plan_(options == nullptr ? nullptr : options->plan->clone()),
    collectors_(options == nullptr
                  ? nullptr
                  : std::make_shared<collectors>(plan_, options->ordered,
                                                 around.pool.address(), this)),
    book_(plan_, [this] {
      auto workers = around_.workers.serving();
      return gather_book::worker_list{workers.begin(), workers.end()};
    }) {
  // nop
}

gathers::~gathers() {
  if (collectors_ != nullptr)
    collectors_->close();
}

// -- the beginning ------------------------------------------------------------

void gathers::scatter(managed_task& task, instant came) {
  if (auto* outer = tracked_element::from(*task.element))
    if (!outer->open()) // it was taken back
      return recycle(task);
  try {
    auto join = how_->join->clone();
    if (book_.asks().to == libpool::scatter::target::parts)
      ask_for_parts(task, std::move(join), came);
    else
      ask_workers(task, std::move(join), came);
  } catch (...) {
    task.own_extras().crash = thrown_text();
    around_.intake.turn_away(task, errc::policy_failed);
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
  if (auto why = reason_against(parts.size(), task); why != errc{}) {
    put_back(task.element, std::move(content));
    return around_.intake.turn_away(task, why);
  }
  auto& message = begin(task, std::move(join), parts.size(), came);
  message.has_places = around_.dispatcher.capacity().reserve(parts.size());
  message.rest = std::move(parts);
  message.unmade = message.rest.size();
  make_tasks(message, most_in_round);
  if (message.unmade > 0) {
    unmade_.push_back(&message);
    around_.tasks.hold();
  }
}

void gathers::make_tasks(managed_gather& message, std::size_t most) {
  for (; most > 0 && message.unmade > 0; --most) {
    auto part = message.rest.size() - message.unmade;
    ask(message, part, std::move(message.rest[part]), nullptr);
    --message.unmade;
  }
  if (message.unmade == 0)
    message.rest = {};
}

void gathers::make_more(std::size_t most) {
  auto& message = *unmade_.front();
  unmade_.pop_front();
  make_tasks(message, most);
  if (message.unmade > 0)
    unmade_.push_back(&message);
  else
    around_.tasks.let_go();
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

/// Returns why the message, which has that many parts, is refused; `errc{}` if
/// the message is accepted.
errc gathers::reason_against(std::size_t parts, managed_task& task) const {
  const auto& capacity = around_.dispatcher.capacity();
  if (capacity.can_hold(parts))
    return capacity.has_room_for(parts) ? errc{} : errc::queue_full;
  auto places = around_.dispatcher.workers().places();
  task.own_extras().crash =
    std::to_string(parts) + " parts, but the capacity is "
    + std::to_string(capacity.most()) + ", and the workers have "
    + std::to_string(places) + (places == 1 ? " place" : " places");
  return errc::too_many_parts;
}

void gathers::ask_workers(managed_task& task, std::unique_ptr<joiner> join,
                          instant came) {
  gather_book::worker_list workers;
  auto why = book_.choose(workers);
  const auto& asks = book_.asks();
  auto n = workers.size();
  if (why == errc::too_few_workers) {
    task.own_extras().crash =
      std::to_string(asks.needed) + " answers required, but the pool has "
      + std::to_string(n) + (n == 1 ? " worker" : " workers");
  }
  if (why != errc{})
    return around_.intake.turn_away(task, why);
  auto content = take_content(*task.element);
  auto& message = begin(task, std::move(join), n, came);
  if (asks.asks_more || asks.to == libpool::scatter::target::some)
    message.content = content;
  for (std::size_t i = 0; i < n; ++i)
    ask(message, i, content, workers[i]);
}

/// Takes a collector, which waits for answers on behalf of the client.
managed_gather& gathers::begin(managed_task& task, std::unique_ptr<joiner> join,
                               std::size_t parts, instant came) {
  auto& message = new_gather();
  message.collector = take_collector(around_.pool.home_system(), collectors_);
  message.client = task.element->sender;
  message.id = task.element->mid;
  message.came = came;
  if (auto* tracked = tracked_element::from(*task.element))
    message.before = tracked->line();
  message.from_outer = task.extras().from_outer;
  book_.began(message, parts);
  collector_behind(message.collector)
    .expect(message, parts, std::move(join), std::move(task.element));
  recycle(task);
  return message;
}

/// Gives back the task of a message that is gathered, or was taken back.
void gathers::recycle(managed_task& task) {
  around_.intake.forget(task);
  around_.tasks.give_back(task);
}

/// Makes a task of a part, for `worker` alone unless that is nullptr.
void gathers::ask(managed_gather& message, std::size_t part,
                  caf::message content, gather_worker* worker) {
  auto& task = around_.tasks.take_part();
  gather_book::made(message, task, task, part, worker);
  task.has_place = message.has_places;
  task.urgent = message.id.is_urgent_message();
  task.repeatable = around_.intake.retries();
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
    message.flow = task.flow.key();
}

// -- further tasks ------------------------------------------------------------

/// Whether further workers are asked, other than in place of others.
bool gathers::asks_further() const noexcept {
  return !around_.end.drains() && !around_.end.has_ended();
}

/// If the collector wants more workers, it has not told that it is decided, and
/// is still that of the message.
void gathers::wanted(gather& message, caf::strong_actor_ptr collector,
                     std::size_t more, host_ptr host) {
  auto ask_them = [this, &gathered = static_cast<managed_gather&>(message),
                   collector = std::move(collector), more](host_ptr here) {
    gathered.collector = collector;
    for (auto missing = more; missing > 0; --missing) {
      auto decision = asks_further() ? book_.ask_another(gathered)
                                     : std::nullopt;
      if (!decision) {
        collector_behind(collector).found_nobody(here);
        break;
      }
      carry_out(*decision, here);
    }
    if (!gathered.has_tasks())
      gathered.collector = nullptr;
  };
  around_.pool.tell(std::move(ask_them), host);
}

void gathers::time_passed(instant now, host_ptr host) {
  while (auto decision = asks_further() ? book_.time_passed(now) : std::nullopt)
    carry_out(*decision, host);
}

/// If the pool has ended, it fails the tasks with all others.
void gathers::give_up_on(managed_worker& worker) {
  auto has_ended = around_.end.has_ended();
  while (auto decision = has_ended ? std::nullopt
                                   : book_.take_left_behind(worker))
    carry_out(*decision);
}

void gathers::carry_out(const gather_decision& decision, host_ptr host) {
  using kind = gather_decision::kind;
  auto& message = static_cast<managed_gather&>(decision.message);
  auto& votes = collector_behind(message.collector);
  auto* task = static_cast<part_task*>(decision.task);
  switch (decision.is) {
    case kind::ask:
      votes.expect_another(host);
      return ask(message, decision.number, message.content, decision.worker);
    case kind::replace:
      drop(*task);
      return ask(message, decision.number, message.content, decision.worker);
    case kind::remove:
      drop(*task);
      return votes.removed(
        decision.number,
        words_of(static_cast<managed_worker&>(*decision.worker)), host);
    case kind::move:
      return around_.intake.wait_for(
        *task, static_cast<managed_worker&>(*decision.worker));
    case kind::cancel:
      return around_.dispatcher.cancelled(*task, decision.why,
                                          around_.clock.now());
  }
}

/// Cancels the task so that the collector does not hear of it.
void gathers::drop(managed_task& task) {
  auto& extras = task.own_extras();
  if (extras.interceptor != nullptr)
    extras.interceptor->close();
  extras.client = nullptr;
  extras.id = caf::message_id{};
  task.element = nullptr;
  around_.dispatcher.cancelled(task, errc::worker_down, around_.clock.now());
}

// -- the end ------------------------------------------------------------------

void gathers::decided(gather& message, caf::strong_actor_ptr collector,
                      host_ptr host) {
  auto end_gather = [this, &gathered = static_cast<managed_gather&>(message),
                     collector = std::move(collector)](host_ptr) {
    if (!gathered.is_awaited
        && (collector == nullptr || gathered.collector != collector))
      return; // the message has ended, and may be another one by now
    gathered.client = nullptr; // has its answer, and may end
    book_.decided(gathered);
    if (book_.asks().stops_rest)
      cancel_rest(gathered);
    if (gathered.has_ended())
      end(gathered);
  };
  around_.pool.tell(std::move(end_gather), host);
}

/// Tasks that have not begun are not needed.
void gathers::cancel_rest(managed_gather& message) {
  if (message.unmade > 0) {
    unmade_.erase(std::find(unmade_.begin(), unmade_.end(), &message));
    if (message.has_places)
      around_.dispatcher.capacity().unreserve(message.unmade);
    message.unmade = 0;
    message.rest = {};
    around_.tasks.let_go();
  }
  for (auto& each : message.open) {
    auto& task = static_cast<part_task&>(each);
    auto has_begun = task.extras().awaits_answer
                     || (task.carrier != nullptr
                         && task.carrier->has_started());
    if (!has_begun)
      around_.dispatcher.cancelled(task, errc::not_needed, around_.clock.now());
  }
}

void gathers::left(part_task& task) {
  auto& message = *gather_of(task);
  book_.released(task, around_.clock.now());
  if (message.has_ended())
    end(message);
  else if (!message.has_tasks()) // the collector ends unless it waits or wants
    auto collector = std::move(message.collector);
}

managed_gather& gathers::new_gather() {
  if (free_.empty())
    free_.push_back(
      all_.emplace_back(std::make_unique<managed_gather>()).get());
  auto* result = free_.back();
  free_.pop_back();
  return *result;
}

void gathers::end(managed_gather& message) {
  auto collector = std::move(message.collector); // let go of at the very end
  message.client = nullptr;
  message.before = nullptr;
  message.from_outer = nullptr;
  message.content = caf::message{};
  free_.push_back(&message);
}

} // namespace libpool
