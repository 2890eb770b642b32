#include "support/placement_world.hpp"

#include "libpool/policies/fifo.hpp"
#include "support/dispatcher_world.hpp"

#include <algorithm>

using libpool::ending;
using libpool::task;
using libpool::worker;

namespace test {

namespace {

libpool::composition composed(std::unique_ptr<libpool::placement> which,
                              placement_setting& how) {
  libpool::composition result;
  result.order = how.order != nullptr ? std::move(how.order)
                                      : std::make_unique<libpool::fifo>();
  result.placement = std::move(which);
  if (how.steals)
    result.stealing = std::make_unique<steals_oldest>();
  result.assignment = how.when;
  return result;
}

} // namespace

placement_world::placement_world(std::unique_ptr<libpool::placement> which,
                                 placement_setting how)
  : pool_(composed(std::move(which), how), how.within) {
  // nop
}

// -- facts about workers ------------------------------------------------------

void placement_world::join(std::size_t window, libpool::duration weight,
                           std::size_t its_seats) {
  auto& who = workers.emplace_back();
  who.number = libpool::worker_number{workers.size() - 1};
  who.window = window;
  who.seats = window;
  who.weight = weight;
  seats.push_back(its_seats);
  pool_.joined(who, now);
  settle();
}

void placement_world::join_all(std::size_t count, std::size_t window) {
  for (std::size_t i = 0; i < count; ++i)
    join(window);
}

void placement_world::join_weighing(const std::vector<int>& weights,
                                    std::size_t window) {
  for (auto weight : weights)
    join(window, libpool::duration{weight});
}

void placement_world::retire(std::size_t who) {
  pool_.retired(workers[who], now);
  settle();
}

void placement_world::leave(std::size_t who) {
  auto& it = workers[who];
  pool_.left(it, now);
  while (!it.mailbox.empty()) {
    auto& what = it.mailbox.front();
    if (what.is == task::condition::sent)
      pool_.returned(what, now);
    else
      pool_.finished(what, ending::crashed, now);
  }
  settle();
}

// -- facts about tasks --------------------------------------------------------

std::size_t placement_world::submit() {
  return submit(add());
}

std::size_t placement_world::submit_key(std::uint64_t key) {
  auto& what = add();
  what.key = key;
  return submit(what);
}

std::size_t placement_world::submit_only(const names& only, bool loose) {
  auto& where = restrict_to(only, loose);
  auto& what = add();
  what.where = &where;
  return submit(what);
}

std::size_t placement_world::submit_home(std::size_t home) {
  auto& what = add();
  what.home = libpool::worker_number{home};
  return submit(what);
}

std::size_t placement_world::submit(task& what) {
  pool_.submitted(what, now);
  settle();
  return worker_of(last());
}

task& placement_world::add() {
  return tasks.emplace_back();
}

libpool::restriction& placement_world::restrict_to(const names& only,
                                                   bool loose) {
  auto& result = restrictions.emplace_back();
  for (auto who : only)
    result.only.push_back(libpool::worker_number{who});
  result.loose = loose;
  return result;
}

placement_world::names placement_world::submit_all(std::size_t count) {
  names result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(submit());
  return result;
}

void placement_world::finish(std::size_t what) {
  pool_.finished(tasks[what], ending::completed, now);
  settle();
}

void placement_world::crash(std::size_t what) {
  pool_.finished(tasks[what], ending::crashed, now);
  settle();
}

void placement_world::cancel(std::size_t what) {
  pool_.cancelled(tasks[what], libpool::errc::client_gone, now);
  settle();
}

std::size_t placement_world::serve(libpool::duration cost) {
  auto result = submit();
  auto what = last();
  pass(cost);
  finish(what);
  return result;
}

// -- time ---------------------------------------------------------------------

void placement_world::pass(libpool::duration time) {
  now += time;
  pool_.ticked(now);
  settle();
}

// -- questions ----------------------------------------------------------------

std::size_t placement_world::worker_of(std::size_t what) const {
  const auto* on = tasks[what].on;
  return on == nullptr ? nobody : static_cast<std::size_t>(on->number);
}

placement_world::names placement_world::running() const {
  names result;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].is == task::condition::running
        || tasks[i].is == task::condition::overdue)
      result.push_back(i);
  return result;
}

placement_world::names placement_world::present() const {
  names result;
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (workers[i].is == worker::condition::serving)
      result.push_back(i);
  return result;
}

// -- what comes of it ---------------------------------------------------------

void placement_world::settle() {
  do {
    pool_.dispatch(now);
    act();
  } while (begin());
}

void placement_world::act() {
  auto& all = pool_.decisions();
  std::size_t done = 0;
  while (done < all.size()) { // it grows
    auto made = all[done++];
    if (remembers)
      decided_.push_back(made);
    if (made.is == libpool::decision::kind::dismiss)
      ++dismissed_;
    if (made.is == libpool::decision::kind::recall)
      pool_.returned(*made.task, now);
  }
  all.clear();
  pool_.dispatch(now);
  if (!all.empty())
    act();
}

/// Has workers begin with what they can; returns whether any of them did.
bool placement_world::begin() {
  auto result = false;
  for (std::size_t i = 0; begins && i < workers.size(); ++i) {
    auto free = seats[i];
    for (auto& what : workers[i].mailbox) {
      if (free-- == 0)
        break;
      if (what.is != task::condition::sent)
        continue;
      pool_.started(what, now);
      result = true;
    }
  }
  return result;
}

} // namespace test
