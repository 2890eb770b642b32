#include "support/fair_world.hpp"

#include "libpool/policies/exact_fair_queuing.hpp"
#include "libpool/policies/kubernetes_fair_queuing.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

using libpool::task;

namespace test {

namespace {

libpool::composition composed_of(std::unique_ptr<libpool::order> which) {
  auto result = composed(libpool::assignment::lazy, false);
  result.order = std::move(which);
  return result;
}

} // namespace

std::unique_ptr<libpool::order>
fair_order(const libpool::fair_queuing_options& how,
           libpool::virtual_time start) {
  if (how.mode == libpool::fair_mode::kubernetes)
    return std::make_unique<libpool::kubernetes_fair_queuing>(how, start);
  return std::make_unique<libpool::exact_fair_queuing>(how, start);
}

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
  : fair_world(fair_order(how, start), within) {
  // nop
}

fair_world::fair_world(std::unique_ptr<libpool::order>&& which,
                       const libpool::limits& within)
  : fair_world(*which, std::move(which), within) {
  // nop
}

fair_world::fair_world(libpool::order& which,
                       std::unique_ptr<libpool::order>&& owned,
                       const libpool::limits& within)
  : acting_world(composed_of(std::move(owned)), within), order_(which) {
  // nop
}

// -- facts --------------------------------------------------------------------

task& fair_world::add(const libpool::flow_key& flow, std::size_t width,
                      libpool::duration service) {
  auto& result = dispatcher_world::add();
  result.flow = flow;
  result.width = width;
  fates_.emplace_back().service = service;
  return result;
}

void fair_world::pass(libpool::duration time) {
  auto until = now + time;
  while (!ends_.empty() && std::get<0>(*ends_.begin()) <= until) {
    auto next = *ends_.begin();
    ends_.erase(ends_.begin());
    if (!is_due(next))
      continue;
    now = std::get<0>(next);
    ends(std::get<1>(next));
    finish(std::get<1>(next));
  }
  acting_world::pass(until - now);
}

/// Not if it has ended before, or runs anew.
bool fair_world::is_due(const end& when) const {
  const auto& task = tasks[std::get<1>(when)];
  return task.on != nullptr && task.started == std::get<2>(when);
}

// -- questions ----------------------------------------------------------------

fair_world::names fair_world::running() const {
  names result;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (runs(i))
      result.push_back(i);
  return result;
}

std::optional<libpool::flow_stats>
fair_world::row(const std::string& flow) const {
  for (auto& each : pool.flows(tasks.size() + 1))
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
  for (const auto& worker : workers)
    for (const auto& task : worker.mailbox)
      if (task.flow.name() == flow)
        result += task.seats;
  return result;
}

bool fair_world::dawdles() const {
  std::size_t all = 0;
  std::size_t taken = 0;
  for (const auto& worker : workers)
    if (worker.seated) {
      all += worker.seats;
      taken += worker.seats_charged;
    }
  const auto* next = order_.choose(now);
  if (next == nullptr || std::min(next->width, all) + taken > all)
    return false;
  return std::any_of(workers.begin(), workers.end(), [&](const auto& worker) {
    auto needs = std::min(next->width, worker.seats);
    return worker.seated && worker.seats_taken + needs <= worker.seats;
  });
}

// -- what comes of it ---------------------------------------------------------

std::size_t fair_world::index_of(const task& task) const {
  for (auto i = tasks.size(); i-- > 0;)
    if (&tasks[i] == &task)
      return i;
  throw std::logic_error("a task of somebody else");
}

void fair_world::carry_out(const libpool::decision& made) {
  acting_world::carry_out(made);
  if (made.is == libpool::decision::kind::send)
    sent.push_back(index_of(*made.task));
  if (made.how == libpool::outcome::refused)
    fates_[index_of(*made.task)].refusal = made.why;
}

void fair_world::begin(task& task) {
  acting_world::begin(task);
  auto index = index_of(task);
  if (auto service = fates_[index].service; service != until_told)
    ends_.emplace(now + service, index, now);
}

} // namespace test
