/// The workers.

#include "machine.hpp"

#include <algorithm>
#include <cassert>

namespace poolsim {

namespace {

/// The workers that go, in that order.
std::vector<std::size_t> in_order_of_departure(const scenario& what) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < what.workers.size(); ++i)
    if (departure_of(what.workers[i]))
      result.push_back(i);
  std::stable_sort(result.begin(), result.end(), [&](auto x, auto y) {
    return *departure_of(what.workers[x]) < *departure_of(what.workers[y]);
  });
  return result;
}

} // namespace

void machine::prepare_workers() {
  assert(
    std::is_sorted(what_.workers.begin(), what_.workers.end(), joins_sooner));
  departures_ = in_order_of_departure(what_);
  for (const auto& each : what_.workers) {
    auto& who = servers_.emplace_back();
    who.id = servers_.size() - 1;
    who.seats = each.seats;
    who.free = each.seats;
    who.number = libpool::worker_number{who.id};
    who.alone.only = {who.number};
    who.weight = each.weight;
    who.window =
      what_.window.value_or(libpool::default_window(what_.how, each.seats));
  }
}

void machine::prepare_choices() {
  for (const auto& each : what_.choices) {
    auto& choice = choices_.emplace_back();
    choice.loose = each.loose;
    for (auto id : each.only)
      choice.only.push_back(libpool::worker_number{id});
  }
}

std::vector<server*> machine::serving() {
  std::vector<server*> result;
  for (std::size_t i = 0; i < joined_; ++i)
    if (servers_[i].is == libpool::worker::condition::serving)
      result.push_back(&servers_[i]);
  return result;
}

std::optional<duration> machine::next_change() const {
  std::optional<duration> result;
  if (joined_ < servers_.size())
    result = what_.workers[joined_].join;
  if (departed_ < departures_.size()) {
    auto next = *departure_of(what_.workers[departures_[departed_]]);
    result = result ? std::min(*result, next) : next;
  }
  return result;
}

void machine::change_workers() {
  while (joined_ < servers_.size() && what_.workers[joined_].join <= now_) {
    pool_.joined(servers_[joined_++], now());
    carry_out();
  }
  for (; departed_ < departures_.size(); ++departed_) {
    auto id = departures_[departed_];
    const auto& who = what_.workers[id];
    if (*departure_of(who) > now_)
      break;
    depart(servers_[id],
           who.crash ? libpool::ending::crashed : libpool::ending::interrupted);
  }
}

/// Goes, and leaves its tasks to the others; those that it runs end like that.
void machine::depart(server& who, libpool::ending of_runs) {
  std::vector<job*> left_behind;
  for (auto& each : who.mailbox)
    left_behind.push_back(&static_cast<job&>(each));
  who.inbox.clear();
  pool_.left(who, now());
  for (auto* each : left_behind)
    take_back(*each, who, of_runs);
  gathers_.left(who, of_runs == libpool::ending::interrupted);
  carry_out();
}

void machine::take_back(job& what, server& who, libpool::ending of_run) {
  if (what.run == 0)
    return pool_.returned(what, now());
  stop(what, who,
       of_run == libpool::ending::crashed ? task_run::ending::crashed
                                          : task_run::ending::interrupted);
  pool_.finished(what, of_run, now());
  auto& row = books_.row(what.id);
  if (what.is != libpool::task::condition::waiting) {
    row.worker = static_cast<std::uint32_t>(who.id); // of its last run
    return;
  }
  row.started = not_yet;
  if (what.message == nullptr)
    arrivals_.interrupted(what.from);
}

/// Takes the task back, unless it has begun, as the dispatcher has been told.
void machine::recall(job& what, server& who) {
  if (what.run != 0)
    return;
  who.inbox.erase(std::find(who.inbox.begin(), who.inbox.end(), &what));
  pool_.returned(what, now());
  start_next(who); // it may have been in the way
}

/// The tasks of the mailbox start in its order: one that does not fit is not
/// overtaken.
void machine::start_next(server& who) {
  while (!who.inbox.empty() && who.seats_for(*who.inbox.front()) <= who.free) {
    auto& what = *who.inbox.front();
    who.inbox.pop_front();
    start(what, who);
  }
}

worker_row machine::row_of(const server& who) const {
  worker_row result;
  result.completed = who.completed;
  result.busy = who.record.busy;
  for (const auto& each : who.mailbox) {
    const auto& what = static_cast<const job&>(each);
    if (what.run != 0)
      result.busy += now_ - what.started.time_since_epoch();
    (what.run != 0 ? result.running : result.queued).push_back(what.id);
  }
  for (const auto& each : who.deque)
    result.queued.push_back(static_cast<const job&>(each).id);
  return result;
}

} // namespace poolsim
