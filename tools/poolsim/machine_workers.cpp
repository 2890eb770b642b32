/// The workers.

#include "machine.hpp"

#include <numeric>

namespace poolsim {

namespace {

/// The workers that have such a time, in its order.
template <class TimeOf>
std::vector<std::size_t> sorted_by(const scenario& what, TimeOf time_of) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < what.workers.size(); ++i)
    if (time_of(what.workers[i]))
      result.push_back(i);
  std::stable_sort(result.begin(), result.end(), [&](auto x, auto y) {
    return time_of(what.workers[x]) < time_of(what.workers[y]);
  });
  return result;
}

std::optional<duration> join_of(const worker_settings& who) {
  return who.join;
}

std::optional<duration> leave_of(const worker_settings& who) {
  return who.leave;
}

} // namespace

void machine::prepare_workers() {
  joins_ = sorted_by(what_, join_of);
  leaves_ = sorted_by(what_, leave_of);
  numbers_.resize(what_.workers.size());
  for (std::size_t i = 0; i < joins_.size(); ++i)
    numbers_[joins_[i]] = libpool::worker_number{i};
  for (const auto& each : what_.workers) {
    auto& who = servers_.emplace_back();
    who.id = servers_.size() - 1;
    who.seats = each.seats;
    who.free = each.seats;
    who.number = numbers_[who.id];
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
      choice.only.push_back(numbers_[id]);
    std::sort(choice.only.begin(), choice.only.end());
  }
}

void machine::prepare_moves(const work& what) {
  if (what.move.size() <= 1)
    return;
  auto& by_number = moves_[&what];
  by_number.resize(what.move.size());
  for (std::size_t id = 0; id < what.move.size(); ++id)
    by_number[static_cast<std::size_t>(numbers_[id])] = what.move[id];
}

std::optional<duration> machine::next_change() const {
  std::optional<duration> result;
  if (joined_ < joins_.size())
    result = what_.workers[joins_[joined_]].join;
  if (left_ < leaves_.size()) {
    auto leave = *what_.workers[leaves_[left_]].leave;
    result = result ? std::min(*result, leave) : leave;
  }
  return result;
}

void machine::change_workers() {
  for (; joined_ < joins_.size(); ++joined_) {
    auto id = joins_[joined_];
    if (what_.workers[id].join > now_)
      break;
    pool_.joined(servers_[id], now());
    carry_out();
  }
  for (; left_ < leaves_.size(); ++left_) {
    auto id = leaves_[left_];
    if (*what_.workers[id].leave > now_)
      break;
    leave(servers_[id]);
  }
}

/// Goes, and leaves its tasks to the others.
void machine::leave(server& who) {
  std::vector<job*> left_behind;
  for (auto& each : who.mailbox)
    left_behind.push_back(&static_cast<job&>(each));
  who.inbox.clear();
  pool_.left(who, now());
  for (auto* each : left_behind)
    take_back(*each, who);
  carry_out();
}

void machine::take_back(job& what, server& who) {
  if (what.run == 0)
    return pool_.returned(what, now());
  stop(what, who, task_run::ending::interrupted);
  books_.row(what.id).started = not_yet;
  arrivals_.interrupted(what.from);
  pool_.finished(what, libpool::ending::crashed, now());
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
  result.completed = who.record.completed;
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
