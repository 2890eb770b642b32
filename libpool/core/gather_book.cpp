#include "libpool/core/gather_book.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

using kind = gather_decision::kind;

/// Whether no worker has the task in its mailbox.
bool is_to_begin(const gather_part& part) noexcept {
  return part.self->is == task::condition::waiting
         || part.self->is == task::condition::assigned;
}

bool has_crashed(const gather_part& part) noexcept {
  return part.self->notes().crashes > 0;
}

/// Whether `x` is asked before `y`.
bool goes_sooner(const gather_worker* x, const gather_worker* y) {
  auto key = [](const gather_worker& worker) {
    return std::tuple{worker.suspended,
                      std::max(worker.in_flight, worker.asked.size()),
                      worker.chosen, worker.number};
  };
  return key(*x) < key(*y);
}

/// Keeps the workers that a message asks. Paused workers are asked only if
/// others are too few.
void keep_least_used(gather_book::worker_list& workers, const scatter& asks) {
  auto active = static_cast<std::size_t>(
    std::count_if(workers.begin(), workers.end(),
                  [](const auto* each) { return !each->suspended; }));
  auto n =
    std::min({asks.asked, std::max(active, asks.needed), workers.size()});
  std::partial_sort(workers.begin(),
                    workers.begin() + static_cast<std::ptrdiff_t>(n),
                    workers.end(), goes_sooner);
  workers.resize(n);
}

/// No other worker than this one may run the task.
void give_to(gather_part& part, gather_worker& worker) {
  part.is_for_one = true;
  part.asked_of = &worker;
  worker.asked.push_back(part);
  part.gather->asked.push_back(worker.number);
}

void withdraw(gather_part& part) {
  if (auto* worker = std::exchange(part.asked_of, nullptr))
    worker->asked.erase(worker->asked.iterator_to(part));
}

/// Cancels the task, and does with it what `is` says.
gather_decision give_up(gather_part& part, kind is, gather_worker* worker) {
  auto why = part.self->notes().crashes > 0 ? errc::worker_crashed
                                            : errc::worker_down;
  return {is, *part.gather, &part, part.part, worker, why};
}

} // namespace

gather_book::gather_book(std::shared_ptr<gather_plan> plan,
                         std::function<worker_list()> serving)
  : plan_(std::move(plan)),
    serving_(std::move(serving)),
    asks_(plan_ == nullptr ? scatter{} : plan_->asks()),
    // Others may be asked for the votes before a single worker has begun.
    asks_any_worker_(asks_.to == scatter::target::some && asks_.asked == 1
                     && !asks_.asks_more),
    has_patience_(plan_ != nullptr && plan_->has_patience()) {
  // nop
}

// -- choice of the workers ----------------------------------------------------

errc gather_book::choose(worker_list& workers) const {
  workers = asks_any_worker_ ? worker_list{nullptr} : serving_();
  if (asks_.to == scatter::target::everybody)
    return workers.empty() ? errc::no_workers : errc{};
  if (!asks_any_worker_)
    keep_least_used(workers, asks_);
  return workers.size() < asks_.needed ? errc::too_few_workers : errc{};
}

/// Returns the next worker to ask, one of `where` unless that is nullptr;
/// nullptr if no worker can be asked.
gather_worker* gather_book::unasked(const gather& message,
                                    const restriction* where) const {
  const auto& asked = message.asked;
  gather_worker* result = nullptr;
  for (auto* each : serving_()) {
    auto may_be_asked =
      !each->suspended && (where == nullptr || permits(*where, each->number))
      && std::find(asked.begin(), asked.end(), each->number) == asked.end();
    if (may_be_asked && (result == nullptr || goes_sooner(each, result)))
      result = each;
  }
  return result;
}

/// Asks one more worker, one of `where` unless that is nullptr.
gather_book::decision gather_book::ask(gather& message,
                                       const restriction* where) const {
  auto* worker = unasked(message, where);
  if (worker == nullptr)
    return std::nullopt;
  return gather_decision{kind::ask, message, nullptr, message.parts++, worker};
}

// -- messages -----------------------------------------------------------------

void gather_book::began(gather& message, std::size_t tasks) {
  message.parts = tasks;
  message.asked.clear();
  message.is_awaited = asks_.asks_more;
  message.is_decided = message.is_cancelled = message.is_hedged = false;
  message.sent = never;
  ++messages_;
  if (has_patience_)
    plan_->message_came();
}

void gather_book::decided(gather& message) {
  message.is_awaited = false;
  message.is_decided = true;
  forget_patience(message);
}

gather_book::decision gather_book::ask_another(gather& message) {
  auto may_ask = asks_.asks_more && asks_.to != scatter::target::parts
                 && !message.is_cancelled;
  return may_ask ? ask(message, nullptr) : std::nullopt;
}

// -- tasks --------------------------------------------------------------------

void gather_book::made(gather& message, task& self, gather_part& part,
                       std::size_t number, gather_worker* worker) {
  part.self = &self;
  part.gather = &message;
  part.part = number;
  self.is_alone = true;
  message.open.push_back(part);
  if (worker == nullptr)
    return;
  self.own_notes().where = &worker->alone;
  give_to(part, *worker);
}

void gather_book::sent(gather_part& part, instant now) {
  if (!has_patience_)
    return;
  auto& message = *part.gather;
  if (part.asked_of == nullptr)
    message.asked.push_back(part.self->on->number);
  if (message.is_hedged || message.sent != never)
    return;
  message.sent = now;
  if (auto after = plan_->patience())
    message.due = due_.emplace(later(now, *after), &message);
}

gather_book::decision gather_book::came_back(gather_part& part,
                                             gather_worker& worker) {
  if (!is_to_begin(part))
    return std::nullopt;
  if (part.asked_of != nullptr)
    return worker.is == worker::condition::serving ? std::nullopt
                                                   : orphaned(part);
  if (!has_patience_)
    return std::nullopt;
  auto& message = *part.gather;
  if (part.part == 0) {
    forget_patience(message);
    message.sent = never;
  }
  if (message.is_hedged)
    return ask_elsewhere(part, worker);
  if (!has_crashed(part))
    message.asked.clear();
  return std::nullopt;
}

gather_book::decision gather_book::take_left_behind(gather_worker& worker) {
  auto i = std::find_if(worker.asked.begin(), worker.asked.end(), is_to_begin);
  return i != worker.asked.end() ? orphaned(*i) : std::nullopt;
}

void gather_book::released(gather_part& part, instant now) {
  auto& message = *std::exchange(part.gather, nullptr);
  message.open.erase(message.open.iterator_to(part));
  withdraw(part);
  if (std::exchange(part.is_for_one, false))
    part.self->own_notes().where = nullptr; // other restrictions are shared
  if (message.sent != never && part.part == 0)
    plan_->first_answered(now - message.sent);
  if (message.open.empty())
    forget_patience(message);
}

// -- hedging ------------------------------------------------------------------

void gather_book::forget_patience(gather& message) {
  if (auto place = std::exchange(message.due, std::nullopt))
    due_.erase(*place);
}

gather_book::decision gather_book::time_passed(instant now) {
  while (!due_.empty() && next_tick() <= now)
    if (auto result = hedge(*due_.begin()->second))
      return result;
  return std::nullopt;
}

/// A message is hedged at most once, and only while its first task neither has
/// ended nor has passed its deadline.
gather_book::decision gather_book::hedge(gather& message) {
  forget_patience(message);
  const auto& first = message.open.front();
  auto may_ask = !message.is_cancelled && plan_->may_ask_another()
                 && first.self->is != task::condition::unknown
                 && first.self->is != task::condition::overdue;
  auto* where = first.asked_of == nullptr ? first.self->notes().where : nullptr;
  auto result = may_ask ? ask(message, where) : std::nullopt;
  if (!result)
    return std::nullopt;
  message.is_hedged = true;
  ++hedged_;
  plan_->asked_another();
  return result;
}

// -- tasks of workers that have left ------------------------------------------

/// Only a worker that does not serve any more may run the task. Another worker
/// is asked, unless all workers are, the task has crashed its worker, or the
/// task is not needed.
gather_book::decision gather_book::orphaned(gather_part& part) {
  const auto& message = *part.gather;
  auto& worker = *part.asked_of;
  withdraw(part);
  if (has_crashed(part))
    return give_up(part, kind::cancel, nullptr);
  auto some = asks_.to == scatter::target::some;
  auto may_ask = some && !message.is_cancelled
                 && !(message.is_decided && asks_.stops_rest);
  auto* other = may_ask ? unasked(message, nullptr) : nullptr;
  if (other != nullptr || (may_ask && may_wait_for_any(part, worker)))
    return give_up(part, kind::replace, other);
  return !some && worker.is_taken_out ? give_up(part, kind::remove, &worker)
                                      : give_up(part, kind::cancel, nullptr);
}

/// The task of a hedged message goes to a worker that has no other task of the
/// message, and has begun none. If there is no such worker, the task goes back
/// to its worker, which has not begun it, or is cancelled.
gather_book::decision gather_book::ask_elsewhere(gather_part& part,
                                                 gather_worker& worker) {
  auto* other = unasked(*part.gather, part.self->notes().where);
  if (other == nullptr && !has_crashed(part)
      && worker.is == worker::condition::serving)
    other = &worker;
  if (other == nullptr && may_wait_for_any(part, worker))
    return std::nullopt;
  if (other == nullptr)
    return give_up(part, kind::cancel, nullptr);
  give_to(part, *other);
  return gather_decision{kind::move, *part.gather, &part, part.part, other};
}

/// Whether no worker but `worker` serves, and no other task of the message
/// waits for the next worker that joins.
bool gather_book::may_wait_for_any(const gather_part& part,
                                   const gather_worker& worker) const {
  auto workers = serving_();
  auto is_other = [&](const auto* each) { return each != &worker; };
  auto waits = [&](const auto& each) {
    return &each != &part && is_to_begin(each);
  };
  const auto& tasks = part.gather->open;
  return asks_any_worker_
         && std::none_of(workers.begin(), workers.end(), is_other)
         && std::none_of(tasks.begin(), tasks.end(), waits);
}

} // namespace libpool
