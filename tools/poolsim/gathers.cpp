#include "gathers.hpp"

#include "latency.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace poolsim {

namespace {

using libpool::errc;
using libpool::verdict;
using target = libpool::scatter::target;

/// Whether no worker has begun the task, nor has it in its inbox.
bool is_to_begin(const job& task) noexcept {
  return task.is == libpool::task::condition::waiting
         || task.is == libpool::task::condition::assigned;
}

bool is_open(const job& task) noexcept {
  return is_to_begin(task) || task.is == libpool::task::condition::sent
         || task.is == libpool::task::condition::running;
}

template <class T>
void remove_one(std::vector<T*>& from, const T* element) {
  from.erase(std::find(from.begin(), from.end(), element));
}

} // namespace

gathers::gathers(const scenario& of, arrivals& from, task_maker& maker)
  : arrivals_(from),
    maker_(maker),
    plan_(of.gather == nullptr ? nullptr : of.gather->clone()),
    asks_(of.gather == nullptr ? libpool::scatter{} : plan_->asks()),
    parts_(of.parts) {
  // nop
}

// -- asking -------------------------------------------------------------------

void gathers::came(const arrival& message, duration now) {
  auto n = how_many();
  if (asks_.to == target::everybody && n == 0)
    return refuse(message, errc::no_workers, now);
  if (asks_.to == target::some && n < asks_.needed)
    return refuse(message, errc::too_few_workers, now);
  if (asks_.to == target::parts && !maker_.can_hold(n))
    return refuse(message, errc::too_many_parts, now);
  if (plan_->has_patience())
    plan_->message_came();
  auto& added = open(message, n, now);
  std::vector<server*> servers(n);
  if (!asks_any_worker())
    servers = asks_.to == target::everybody ? maker_.serving() : fewest_tasks();
  for (std::size_t i = 0; i < n; ++i)
    ask(added, i, servers[i]);
}

/// Parts are for any worker, as is a message for one worker, unless others are
/// asked for the votes before that has begun.
bool gathers::asks_any_worker() const {
  return asks_.to == target::parts
         || (asks_.to == target::some && asks_.asked == 1 && !asks_.asks_more);
}

/// How many tasks are made of a message.
std::size_t gathers::how_many() const {
  if (asks_any_worker())
    return asks_.to == target::parts ? parts_ : 1;
  if (asks_.to == target::everybody)
    return maker_.serving().size();
  return std::min(asks_.asked, askable().size());
}

/// Serving workers that are not paused.
std::vector<server*> gathers::askable() const {
  auto result = maker_.serving();
  auto is_paused = [](auto* each) { return each->suspended; };
  result.erase(std::remove_if(result.begin(), result.end(), is_paused),
               result.end());
  return result;
}

gathered_message& gathers::open(const arrival& message, std::size_t tasks,
                                duration now) {
  auto& result = messages_.emplace_back();
  result.self = std::prev(messages_.end());
  result.id = books_.rows.size();
  result.from = message;
  result.came = now;
  result.tasks = tasks;
  books_.rows.push_back({now,
                         not_yet,
                         message.work->flow,
                         message_fate::open,
                         {},
                         std::vector<std::size_t>{}});
  if (spare_.empty())
    spare_.push_back(plan_->make_votes());
  result.votes = std::move(spare_.back());
  spare_.pop_back();
  result.votes->began(tasks, time(now));
  schedule(result);
  return result;
}

void gathers::refuse(const arrival& message, errc why, duration now) {
  books_.rows.push_back({now, not_yet, message.work->flow,
                         message_fate::refused, why,
                         std::vector<std::size_t>{}});
}

void gathers::ask(gathered_message& of, std::size_t number, server* server) {
  if (server != nullptr)
    of.asked.insert(server->id);
  auto task = maker_.make_task(of.from, of, number, server);
  books_.rows[of.id].tasks.push_back(task);
}

/// Serving workers that are not paused, with the fewest tasks first, of equals
/// the one that was chosen longest ago.
std::vector<server*> gathers::fewest_tasks() const {
  auto result = askable();
  auto key = [](const server& server) {
    return std::tuple{std::max(server.in_flight, server.asked.size()),
                      server.chosen, server.number};
  };
  std::sort(result.begin(), result.end(),
            [&](auto* x, auto* y) { return key(*x) < key(*y); });
  return result;
}

server* gathers::unasked(const gathered_message& of) const {
  auto workers = fewest_tasks();
  auto i = std::find_if(workers.begin(), workers.end(), [&](auto* each) {
    return of.asked.count(each->id) == 0;
  });
  return i == workers.end() ? nullptr : *i;
}

void gathers::ask_another(gathered_message& of, server& server, duration now) {
  ++books_.asked_again;
  of.votes->asked_another(time(now));
  ask(of, of.tasks++, &server);
  decide(of, now);
}

// -- facts about tasks --------------------------------------------------------

void gathers::sent(job& task, duration now) {
  auto& of = *task.message;
  if (!plan_->has_patience() || of.sent)
    return;
  of.sent = now;
  if (auto after = plan_->patience())
    of.patience_ends = now + std::min(*after, longest_time);
  schedule(of);
}

void gathers::settled(job& task, libpool::outcome how, duration now) {
  auto& of = *task.message;
  if (of.sent && task.number == 0)
    plan_->first_answered(now - *of.sent);
  if (of.is_answered || task.is_replaced)
    return;
  if (how == libpool::outcome::completed && task.error == 0)
    of.votes->succeeded(task.number, time(now));
  else if (task.is_removed)
    of.votes->removed(task.number, time(now));
  else
    of.votes->failed(task.number, time(now));
  decide(of, now);
}

void gathers::released(job& task) {
  auto& of = *task.message;
  remove_one<job>(of.open, &task);
  if (task.asked_of != nullptr)
    remove_one<job>(task.asked_of->asked, &task);
  forget_if_over(of);
}

void gathers::left(server& server, bool in_good_order) {
  auto asked = server.asked;
  for (auto* each : asked)
    if (is_to_begin(*each))
      replace(*each, in_good_order);
}

/// Only a worker that has left may run the task: another one is asked, unless
/// all are, or it has crashed that worker.
void gathers::replace(job& task, bool in_good_order) {
  auto& of = *task.message;
  auto some = asks_.to == target::some;
  auto has_crashed = task.notes().crashes > 0;
  auto may_ask = some && !has_crashed && !of.is_answered && !of.is_cancelled;
  auto* other = may_ask ? unasked(of) : nullptr;
  remove_one<job>(std::exchange(task.asked_of, nullptr)->asked, &task);
  if (other == nullptr) {
    task.is_removed = in_good_order && !some && !has_crashed;
    return maker_.cancel(task, has_crashed ? errc::worker_crashed
                                           : errc::worker_down);
  }
  task.is_replaced = true;
  maker_.cancel(task, errc::worker_down);
  ask(of, task.number, other);
}

// -- time ---------------------------------------------------------------------

void gathers::time_passed(duration now) {
  while (next_tick() <= now) {
    auto& of = *due_.begin()->second;
    if (of.patience_ends <= now) {
      lose_patience(of, now);
    } else {
      of.votes->time_passed(time(now));
      decide(of, now);
    }
  }
}

void gathers::lose_patience(gathered_message& of, duration now) {
  of.patience_ends = duration::max();
  schedule(of);
  auto may_ask = !of.is_cancelled && plan_->may_ask_another()
                 && !of.open.empty() && is_open(*of.open.front());
  if (!may_ask)
    return;
  if (auto* first = of.open.front()->on)
    of.asked.insert(static_cast<server*>(first)->id);
  if (auto* server = unasked(of)) {
    plan_->asked_another();
    ask_another(of, *server, now);
  }
}

/// Notes when the message has to be told the time.
void gathers::schedule(gathered_message& of) {
  due_.erase({of.due, &of});
  of.due = duration::max();
  if (of.is_answered)
    return;
  auto tick = of.votes->next_tick();
  if (plan_->is_timed() && tick != libpool::never)
    of.due = tick.time_since_epoch();
  of.due = std::min(of.due, of.patience_ends);
  if (of.due != duration::max())
    due_.emplace(of.due, &of);
}

libpool::instant gathers::time(duration now) const {
  return plan_->is_timed() ? libpool::instant{now} : libpool::instant{};
}

// -- decisions ----------------------------------------------------------------

void gathers::decide(gathered_message& of, duration now) {
  auto by = of.votes->decide();
  switch (by.is) {
    case verdict::decision::wait:
      return schedule(of);
    case verdict::decision::ask:
      return ask_more(of, by.count, now);
    case verdict::decision::answer:
      return settle(of, message_fate::answered, {}, now);
    case verdict::decision::fail:
      return settle(of, message_fate::failed, by.why, now);
  }
}

/// Asks one more worker at a time, as long as workers are left.
void gathers::ask_more(gathered_message& of, std::size_t more, duration now) {
  schedule(of);
  if (of.found_nobody || more == 0)
    return;
  auto may_ask = asks_.to != target::parts && !of.is_cancelled;
  auto* server = may_ask ? unasked(of) : nullptr;
  if (server != nullptr)
    return ask_another(of, *server, now);
  of.found_nobody = true;
  of.votes->found_nobody(time(now));
  decide(of, now);
}

/// The client has its answer; tasks that have not begun are not needed.
void gathers::settle(gathered_message& of, message_fate is, errc why,
                     duration now) {
  of.is_answered = true;
  of.patience_ends = duration::max();
  schedule(of);
  spare_.push_back(std::move(of.votes));
  auto& row = books_.rows[of.id];
  row.is = is;
  row.why = why;
  row.finished = now;
  arrivals_.answered(of.from, now);
  if (asks_.stops_rest) {
    auto rest = of.open;
    for (auto* each : rest)
      if (each->run == 0)
        maker_.cancel(*each, errc::not_needed);
  }
  forget_if_over(of);
}

void gathers::forget_if_over(gathered_message& of) {
  if (of.is_answered && of.open.empty())
    messages_.erase(of.self);
}

message_books gathers::close() {
  sum_up(books_);
  return std::move(books_);
}

} // namespace poolsim
