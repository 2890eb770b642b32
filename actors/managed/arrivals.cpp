/// How a managed pool makes tasks of messages.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_system.hpp>
#include <caf/system_messages.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

namespace {

/// The flow of those who send from there. Actors of other nodes may have the
/// same numbers.
flow_key flow_of_sender(const caf::strong_actor_ptr& sender) {
  if (sender == nullptr)
    return {};
  if (sender->nid == sender->home_system->node())
    return sender->id();
  return to_string(sender);
}

/// The way to the client of a message that another pool has sent.
return_path return_path_of(passage& of) {
  return {std::move(of.sender), of.id, std::move(of.stages)};
}

std::vector<worker_number> numbers_of(const worker_choice& choice) {
  std::vector<worker_number> result;
  result.reserve(choice.workers.size());
  for (auto each : choice.workers)
    result.push_back(worker_number{each});
  return result;
}

void require_time(const char* function, duration time) {
  if (time < duration{0})
    throw std::invalid_argument{std::string{function}
                                + ": must be at least 0 ns, is "
                                + std::to_string(time.count())};
}

/// Keeps what is thrown as the reason for which the task is refused. Always
/// false.
bool note_failure(managed_task& task) {
  task.has_extras = true;
  task.crash = what_is_thrown();
  return false;
}

} // namespace

/// Makes a task of the message, or lets it wait until there is room for one.
void managed_pool::arrived(caf::mailbox_element_ptr what) {
  auto hurries = what->mid.is_urgent_message()
                 || tracked_element::from(*what) != nullptr;
  auto has_to_wait = !backlog_.empty() || tasks_can_wait();
  if (has_to_wait && !hurries && !drains_ && !ended_) {
    hold();
    backlog_.add(std::move(what), now());
  } else {
    submitted(std::move(what), now(), true);
  }
}

void managed_pool::take_from_backlog() {
  auto came = backlog_.since();
  submitted(backlog_.take(), came, false);
  --under_way_;
}

/// Handles what may be addressed to the pool itself.
void managed_pool::managing(caf::mailbox_element_ptr what, host_ptr host) {
  if (what->mid.is_response())
    return; // answers a request that nobody has sent
  if (!manage(*what, host))
    arrived(std::move(what));
}

/// One that is not new was accepted, as far as others know.
void managed_pool::submitted(caf::mailbox_element_ptr what, instant came,
                             bool is_new) {
  auto* outer = tracked_element::from(*what);
  auto streams = outer == nullptr && belongs_to_stream(*what);
  auto& task = new_task();
  task.has_extras = needs_extras_ || outer != nullptr;
  if (outer != nullptr)
    task.from_outer = outer->announced();
  auto& id = task.from_outer != nullptr ? task.from_outer->id : what->mid;
  auto& sender = task.from_outer != nullptr ? task.from_outer->sender
                                            : what->sender;
  task.urgent = id.is_urgent_message();
  task.is_request = id.is_request();
  if (options_.on_settled != nullptr) {
    if (task.is_request)
      task.asker = sender;
    task.asked = id;
  }
  task.what = std::move(what);
  if (outer != nullptr && outer->has_passed(*this))
    return dispatcher_.refused(task, errc::cycle);
  if (is_new && (drains_ || ended_))
    return dispatcher_.refused(task, errc::pool_closed);
  if (streams)
    return dispatcher_.refused(task, errc::no_streams);
  if (is_new && is_alone() && options_.when_empty == when_empty::end)
    return dispatcher_.refused(task, errc::no_workers);
  if (gathers_.are_on() && !ended_)
    return gathers_.scatter(task, came);
  take_in(task, came);
}

void managed_pool::take_in(managed_task& task, instant came) {
  auto retries = std::holds_alternative<retry>(options_.on_crash);
  auto& what = *task.what;
  auto is_outers = task.from_outer != nullptr;
  if (!classify(task))
    return dispatcher_.refused(task, errc::policy_failed);
  task.repeatable = retries;
  if (task.repeatable && !is_outers && !keep_content(task))
    return dispatcher_.refused(task, errc::policy_failed);
  if (options_.deadline)
    task.deadline = later(came, *options_.deadline);
  if (task.is_request
      && (options_.deadline || retries
          || options_.busy_until == busy_until::answer))
    take_detour(task,
                is_outers ? return_path_of(*task.from_outer)
                          : take_return_path(what),
                retries);
  if (task.repeatable && !is_outers) {
    if (task.way == nullptr)
      task.client = what.sender;
    task.id = what.mid;
    task.what = caf::make_mailbox_element(std::move(what.sender), what.mid,
                                          std::move(what.stages), task.content);
  }
  dispatcher_.submitted(task, came);
}

/// Has the user say what kind of a task it is. Returns false if that throws.
/// What another pool tracks must not be looked at, since that would start it:
/// it comes with all that there is to know.
bool managed_pool::classify(managed_task& task) {
  task.priority = task.urgent ? 1 : 0;
  task.key = std::nullopt;
  task.kind = 0;
  try {
    const auto* outer = task.from_outer.get();
    if (dispatcher_.has_flows())
      task.flow = flow_of_sender(task.gather != nullptr ? task.gather->client
                                 : outer != nullptr     ? outer->sender
                                                        : task.what->sender);
    const auto& content = outer != nullptr ? outer->content.content()
                                           : task.what->content();
    ask_user(task, content);
    if (asks_places_ || dispatcher_.has_stealing())
      ask_places(task, content);
    if (task.width == 0)
      throw std::invalid_argument{"width_of: must be at least 1, is 0"};
    return true;
  } catch (...) {
    return note_failure(task);
  }
}

/// Where the task is to run, and what it costs to run it elsewhere. May throw.
void managed_pool::ask_places(managed_task& task,
                              const caf::type_erased_tuple& content) {
  if (options_.home_of != nullptr)
    if (auto home = call_user("home_of", options_.home_of, content))
      task.home = worker_number{*home};
  if (options_.estimate_of != nullptr)
    task.estimate = call_user("estimate_of", options_.estimate_of, content);
  task.kind = options_.kind_of != nullptr
                ? call_user("kind_of", options_.kind_of, content)
                : content.type_token();
  if (options_.move_cost != nullptr)
    task.move = call_user("move_cost", options_.move_cost, content);
  require_time("move_cost", task.move);
  require_time("estimate_of", task.estimate.value_or(duration{0}));
  if (options_.may_run_on != nullptr && task.asked_of == nullptr)
    if (auto choice = call_user("may_run_on", options_.may_run_on, content))
      task.where = &restrictions_.take(numbers_of(*choice), choice->loose);
}

/// May throw what the user throws.
void managed_pool::ask_user(managed_task& task,
                            const caf::type_erased_tuple& content) const {
  if (options_.priority_of != nullptr)
    task.priority = call_user("priority_of", options_.priority_of, content);
  if (options_.key_of != nullptr)
    task.key = call_user("key_of", options_.key_of, content);
  if (options_.flow_of != nullptr)
    task.flow = call_user("flow_of", options_.flow_of, content);
  if (options_.width_of != nullptr)
    task.width = call_user("width_of", options_.width_of, content);
}

/// For another try. Returns false if what is in the message throws.
bool managed_pool::keep_content(managed_task& task) {
  try {
    task.content = call_user("copying the message", [&] {
      return task.what->move_content_to_message();
    });
    return true;
  } catch (...) {
    return note_failure(task);
  }
}

/// Has the answer come by a way on which the pool can step in.
void managed_pool::take_detour(managed_task& task, return_path client,
                               bool hold) {
  task.client = nullptr;
  task.way = std::make_shared<detour>(std::move(client), hold);
  task.way->task = &task;
  auto sender = make_detour_actor(home_system(), task.way, address(), *this);
  if (task.from_outer != nullptr && task.outer == nullptr)
    task.stand_in = std::move(sender);
  else if (task.what != nullptr)
    task.what->sender = std::move(sender);
  else
    task.client = std::move(sender);
}

} // namespace libpool
