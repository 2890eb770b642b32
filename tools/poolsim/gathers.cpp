#include "gathers.hpp"

#include "latency.hpp"

#include <utility>

namespace poolsim {

namespace {

using libpool::errc;
using libpool::gather_book;
using libpool::verdict;

gathered_message& message_of(const job& task) {
  return static_cast<gathered_message&>(*task.gather);
}

} // namespace

gathers::gathers(const scenario& scenario, arrivals& arrivals,
                 libpool::dispatcher& pool, const std::vector<server*>& serving,
                 task_maker make_task)
  : arrivals_(arrivals),
    pool_(pool),
    make_task_(std::move(make_task)),
    plan_(scenario.gather == nullptr ? nullptr : scenario.gather->clone()),
    book_(plan_,
          [&serving] {
            return gather_book::worker_list{serving.begin(), serving.end()};
          }),
    parts_(scenario.parts) {
  // nop
}

// -- asking -------------------------------------------------------------------

void gathers::came(const arrival& message, duration now) {
  gather_book::worker_list workers;
  auto why = choose(workers);
  auto& row = new_row(message, now);
  if (why != errc{}) {
    row.is = message_fate::refused;
    row.why = why;
    return;
  }
  auto& added = open(message, workers.size(), now);
  for (std::size_t i = 0; i < workers.size(); ++i)
    ask(added, i, workers[i]);
}

/// Parts are for any worker.
errc gathers::choose(gather_book::worker_list& workers) const {
  if (book_.asks().to != libpool::scatter::target::parts)
    return book_.choose(workers);
  workers.assign(parts_, nullptr);
  return pool_.capacity().can_hold(parts_) ? errc{} : errc::too_many_parts;
}

message_row& gathers::new_row(const arrival& message, duration now) {
  auto& result = books_.rows.emplace_back();
  result.submitted = now;
  result.flow = message.work->flow;
  return result;
}

/// Begins the message of the last row.
gathered_message& gathers::open(const arrival& message, std::size_t tasks,
                                duration now) {
  auto id = books_.rows.size() - 1;
  auto& result = messages_[id];
  result.id = id;
  result.from = message;
  result.came = now;
  book_.began(result, tasks);
  result.is_awaited = true; // until the votes have decided
  result.votes = plan_->make_votes();
  result.votes->began(tasks, time(now));
  schedule(result);
  return result;
}

void gathers::ask(gathered_message& message, std::size_t number,
                  libpool::gather_worker* worker) {
  auto task = make_task_(message, number, worker);
  books_.rows[message.id].tasks.push_back(task);
}

void gathers::carry_out(const libpool::gather_decision& decision,
                        duration now) {
  using kind = libpool::gather_decision::kind;
  auto& message = static_cast<gathered_message&>(decision.message);
  if (decision.is == kind::ask) {
    ++books_.asked_again;
    message.votes->asked_another(time(now));
    ask(message, decision.number, decision.worker);
    return decide(message, now);
  }
  auto& task = static_cast<job&>(*decision.task);
  if (decision.is == kind::move)
    return pool_.restricted(task, decision.worker->alone);
  task.is_replaced = decision.is == kind::replace;
  task.is_removed = decision.is == kind::remove;
  pool_.cancelled(task, decision.why, libpool::instant{now});
  if (task.is_replaced)
    ask(message, decision.number, decision.worker);
}

// -- facts about tasks --------------------------------------------------------

void gathers::sent(job& task, duration now) {
  book_.sent(task, libpool::instant{now});
}

void gathers::came_back(job& task, server& server, duration now) {
  if (auto decision = book_.came_back(task, server))
    carry_out(*decision, now);
}

void gathers::settled(job& task, libpool::outcome outcome, duration now) {
  auto& message = message_of(task);
  if (message.is_decided || task.is_replaced)
    return;
  if (outcome == libpool::outcome::completed && task.error == 0)
    message.votes->succeeded(task.part, time(now));
  else if (task.is_removed)
    message.votes->removed(task.part, time(now));
  else
    message.votes->failed(task.part, time(now));
  decide(message, now);
}

void gathers::released(job& task, duration now) {
  auto& message = message_of(task);
  book_.released(task, libpool::instant{now});
  forget_if_ended(message);
}

void gathers::left(server& server, duration now) {
  while (auto decision = book_.take_left_behind(server))
    carry_out(*decision, now);
}

// -- time ---------------------------------------------------------------------

void gathers::time_passed(duration now) {
  while (auto decision = book_.time_passed(libpool::instant{now}))
    carry_out(*decision, now);
  while (!due_.empty() && due_.begin()->first <= now) {
    auto& message = *due_.begin()->second;
    message.votes->time_passed(time(now));
    decide(message, now);
  }
}

/// Notes when the votes have to be told the time.
void gathers::schedule(gathered_message& message) {
  due_.erase({message.tick, &message});
  auto is_timed = plan_->is_timed() && !message.is_decided;
  auto tick = is_timed ? message.votes->next_tick() : libpool::never;
  message.tick = tick.time_since_epoch();
  if (tick != libpool::never)
    due_.emplace(message.tick, &message);
}

libpool::instant gathers::time(duration now) const {
  return plan_->is_timed() ? libpool::instant{now} : libpool::instant{};
}

// -- decisions ----------------------------------------------------------------

void gathers::decide(gathered_message& message, duration now) {
  auto verdict = message.votes->decide();
  switch (verdict.is) {
    case verdict::decision::wait:
      return schedule(message);
    case verdict::decision::ask:
      return ask_more(message, verdict.count, now);
    case verdict::decision::answer:
      return settle(message, message_fate::answered, {}, now);
    case verdict::decision::fail:
      return settle(message, message_fate::failed, verdict.why, now);
  }
}

/// Asks one more worker at a time, as long as workers are left.
void gathers::ask_more(gathered_message& message, std::size_t more,
                       duration now) {
  schedule(message);
  if (message.found_nobody || more == 0)
    return;
  if (auto decision = book_.ask_another(message))
    return carry_out(*decision, now);
  message.found_nobody = true;
  message.votes->found_nobody(time(now));
  decide(message, now);
}

/// The client has its answer; tasks that have not begun are not needed.
void gathers::settle(gathered_message& message, message_fate is, errc why,
                     duration now) {
  book_.decided(message);
  schedule(message);
  auto& row = books_.rows[message.id];
  row.is = is;
  row.why = why;
  row.finished = now;
  arrivals_.answered(message.from, now);
  if (book_.asks().stops_rest)
    for (auto& each : message.open)
      if (auto& task = static_cast<job&>(each); task.run == 0)
        pool_.cancelled(task, errc::not_needed, libpool::instant{now});
  forget_if_ended(message);
}

void gathers::forget_if_ended(gathered_message& message) {
  if (message.has_ended())
    messages_.erase(message.id);
}

message_books gathers::close() {
  sum_up(books_);
  return std::move(books_);
}

} // namespace poolsim
