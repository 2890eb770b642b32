#include "support/fair_world.hpp"

#include "libpool/policies/exact_fair_queuing.hpp"
#include "libpool/policies/kubernetes_fair_queuing.hpp"
#include "libpool/policies/least_used.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

using libpool::ending;
using libpool::task;

namespace test {

namespace {

std::unique_ptr<libpool::order> made(const libpool::fair_queuing_options& how,
                                     libpool::virtual_time start) {
  if (how.mode == libpool::fair_mode::kubernetes)
    return std::make_unique<libpool::kubernetes_fair_queuing>(how, start);
  return std::make_unique<libpool::exact_fair_queuing>(how, start);
}

libpool::composition composed(std::unique_ptr<libpool::order> which) {
  libpool::composition result;
  result.order = std::move(which);
  result.placement = std::make_unique<libpool::least_used>();
  return result;
}

} // namespace

libpool::fair_queuing_options guessing(libpool::duration guess,
                                       libpool::fair_mode mode) {
  libpool::fair_queuing_options result;
  result.guess = guess;
  result.mode = mode;
  return result;
}

fair_world::fair_world(const libpool::fair_queuing_options& how,
                       const libpool::limits& within,
                       libpool::virtual_time start)
  : fair_world(made(how, start), within) {
  // nop
}

fair_world::fair_world(std::unique_ptr<libpool::order> which,
                       const libpool::limits& within)
  : order_(*which), pool_(composed(std::move(which)), within) {
  // nop
}

// -- facts about workers ------------------------------------------------------

void fair_world::join(std::size_t seats) {
  auto& who = workers.emplace_back();
  who.number = libpool::worker_number{workers.size() - 1};
  who.seats = seats;
  pool_.joined(who, now);
  settle();
}

void fair_world::retire(std::size_t who) {
  pool_.retired(workers[who], now);
  settle();
}

void fair_world::leave(std::size_t who) {
  auto& it = workers[who];
  pool_.left(it, now);
  while (!it.mailbox.empty()) {
    auto& what = it.mailbox.front();
    stop(index_of(what));
    if (what.is == task::condition::sent)
      pool_.returned(what, now);
    else
      pool_.finished(what, ending::crashed, now);
  }
  settle();
}

// -- facts about tasks --------------------------------------------------------

std::size_t fair_world::submit(const libpool::flow_key& flow, std::size_t width,
                               libpool::duration service) {
  return submit(add(flow, width, service));
}

std::size_t fair_world::submit(task& what) {
  pool_.submitted(what, now);
  settle();
  return tasks.size() - 1;
}

task& fair_world::add(const libpool::flow_key& flow, std::size_t width,
                      libpool::duration service) {
  auto& result = tasks.emplace_back();
  result.flow = flow;
  result.width = width;
  fates_.emplace_back().service = service;
  return result;
}

libpool::restriction& fair_world::only_on(const names& workers_of_it) {
  auto& result = restrictions.emplace_back();
  for (auto who : workers_of_it)
    result.only.push_back(libpool::worker_number{who});
  return result;
}

void fair_world::finish(std::size_t what) {
  stop(what);
  pool_.finished(tasks[what], ending::completed, now);
  settle();
}

void fair_world::crash(std::size_t what) {
  stop(what);
  pool_.finished(tasks[what], ending::crashed, now);
  settle();
}

void fair_world::come_back(std::size_t what) {
  tasks[what].recalled = true; // or its worker would be dead
  pool_.returned(tasks[what], now);
  settle();
}

void fair_world::cancel(std::size_t what) {
  pool_.cancelled(tasks[what], libpool::errc::client_gone, now);
  settle();
}

void fair_world::serve(std::size_t what, libpool::duration time) {
  now += time;
  finish(what);
}

// -- time ---------------------------------------------------------------------

void fair_world::pass(libpool::duration time) {
  auto until = now + time;
  while (!ends_.empty() && ends_.begin()->first <= until) {
    auto what = ends_.begin()->second;
    now = ends_.begin()->first;
    ends(what);
    finish(what);
  }
  now = until;
  pool_.ticked(now);
  settle();
}

// -- questions ----------------------------------------------------------------

bool fair_world::runs(std::size_t what) const {
  return tasks[what].on != nullptr;
}

bool fair_world::waits(std::size_t what) const {
  return tasks[what].is == task::condition::waiting;
}

fair_world::names fair_world::running() const {
  names result;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (runs(i))
      result.push_back(i);
  return result;
}

libpool::errc fair_world::refusal(std::size_t what) const {
  return fates_[what].refusal;
}

libpool::duration fair_world::wait_of(std::size_t what) const {
  return tasks[what].started - tasks[what].accepted;
}

std::optional<libpool::flow_stats>
fair_world::row(const std::string& flow) const {
  for (auto& each : pool_.flows(tasks.size() + 1))
    if (each.name == flow)
      return each;
  return std::nullopt;
}

std::int64_t fair_world::lag(const std::string& flow) const {
  auto found = row(flow);
  if (!found)
    throw std::logic_error(flow + " is not listed");
  return found->lag.count();
}

std::uint64_t fair_world::seats_of(const std::string& flow) const {
  std::uint64_t result = 0;
  for (const auto& who : workers)
    for (const auto& what : who.mailbox)
      if (what.flow.name() == flow)
        result += what.seats;
  return result;
}

bool fair_world::dawdles() const {
  std::size_t all = 0;
  std::size_t taken = 0;
  for (const auto& who : workers)
    if (who.seated) {
      all += who.seats;
      taken += who.seats_charged;
    }
  const auto* next = order_.choose(now);
  if (next == nullptr || std::min(next->width, all) + taken > all)
    return false;
  return std::any_of(workers.begin(), workers.end(), [&](const auto& who) {
    auto needs = std::min(next->width, who.seats);
    return who.seated && who.seats_taken + needs <= who.seats;
  });
}

// -- what comes of it ---------------------------------------------------------

std::size_t fair_world::index_of(const task& what) const {
  for (auto i = tasks.size(); i-- > 0;)
    if (&tasks[i] == &what)
      return i;
  throw std::logic_error("a task of somebody else");
}

void fair_world::settle() {
  pool_.dispatch(now);
  auto& all = pool_.decisions();
  while (!all.empty()) {
    std::vector<libpool::decision> batch;
    batch.swap(all);
    for (const auto& each : batch)
      act(each);
    pool_.dispatch(now);
  }
}

void fair_world::act(const libpool::decision& made) {
  switch (made.is) {
    case libpool::decision::kind::send:
      return begin(*made.task);
    case libpool::decision::kind::recall:
      return pool_.returned(*made.task, now);
    case libpool::decision::kind::settle:
      if (made.how == libpool::outcome::refused)
        fates_[index_of(*made.task)].refusal = made.why;
      return;
    default:
      return;
  }
}

void fair_world::begin(task& what) {
  auto index = index_of(what);
  sent.push_back(index);
  if (!begins)
    return;
  pool_.started(what, now);
  auto& its = fates_[index];
  if (its.service == until_told)
    return;
  its.ends = now + its.service;
  ends_.emplace(*its.ends, index);
}

/// Its end does not come by itself any more.
void fair_world::stop(std::size_t what) {
  if (auto& end = fates_[what].ends) {
    ends_.erase({*end, what});
    end.reset();
  }
}

} // namespace test
