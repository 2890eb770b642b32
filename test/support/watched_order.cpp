#include "support/watched_order.hpp"

#include <utility>

using libpool::duration;
using libpool::errc;
using libpool::flow_stats;
using libpool::instant;
using libpool::task;

namespace test {

watched_order::watched_order(std::unique_ptr<order> what)
  : it_(std::move(what)) {
  // nop
}

// -- facts --------------------------------------------------------------------

void watched_order::added(task& task, instant now) noexcept {
  move(task, place::nowhere, place::queue, "only what is new waits");
  it_->added(task, now);
}

void watched_order::removed(task& task, instant now) noexcept {
  move(task, place::queue, place::nowhere, "only what waits is removed");
  it_->removed(task, now);
}

void watched_order::dispatched(task& task, instant now) noexcept {
  move(task, place::queue, has_flows() ? place::worker : place::nowhere,
       "only what waits is dispatched");
  it_->dispatched(task, now);
}

void watched_order::held(task& task, instant now) noexcept {
  move(task, place::queue, place::held, "only what waits is held");
  it_->held(task, now);
}

void watched_order::freed(task& task, instant now) noexcept {
  move(task, place::held, place::queue, "only what is held is freed");
  it_->freed(task, now);
}

void watched_order::unassigned(task& task, std::optional<duration> ran,
                               instant now) noexcept {
  expect(has_flows(), "parting is told to orders that go by flows");
  move(task, place::worker, place::nowhere,
       "what was dispatched parts, and does so once");
  expect(ran ? *ran == now - task.started : task.is == task::condition::sent,
         "the order is told for how long a handler has run, if it has");
  it_->unassigned(task, ran, now);
}

void watched_order::refused(const task& task) noexcept {
  expect(has_flows(), "refusals are told to orders that go by flows");
  expect(place_of(task) == place::nowhere, "only what is new is refused");
  ++refusals_;
  it_->refused(task);
}

void watched_order::seated(std::size_t seats, instant now) noexcept {
  expect(has_flows(), "seats are told to orders that go by flows");
  seats_ = seats;
  it_->seated(seats, now);
}

// -- questions ----------------------------------------------------------------

std::int64_t watched_order::rank(const task& task) const noexcept {
  return it_->rank(task);
}

bool watched_order::is_by_arrival() const noexcept {
  return it_->is_by_arrival();
}

bool watched_order::is_timed() const noexcept {
  return it_->is_timed();
}

bool watched_order::has_flows() const noexcept {
  return it_->has_flows();
}

bool watched_order::has_limits() const noexcept {
  return it_->has_limits();
}

errc watched_order::objection(const task& task, instant now) const noexcept {
  return it_->objection(task, now);
}

std::vector<flow_stats> watched_order::flows(std::size_t most) const {
  return it_->flows(most);
}

task* watched_order::choose(instant now) noexcept {
  auto* result = it_->choose(now);
  expect(result == nullptr || place_of(*result) == place::queue,
         "only what waits is chosen");
  return result;
}

// -- what it knows ------------------------------------------------------------

watched_order::place watched_order::place_of(const task& task) const noexcept {
  auto i = places_.find(&task);
  return i == places_.end() ? place::nowhere : i->second;
}

void watched_order::move(const task& task, place from, place to,
                         const char* law) noexcept {
  expect(place_of(task) == from, law);
  if (to == place::nowhere)
    places_.erase(&task);
  else
    places_[&task] = to;
}

void watched_order::expect(bool holds, const char* law) noexcept {
  if (!holds && complaint_ == nullptr)
    complaint_ = law;
}

} // namespace test
