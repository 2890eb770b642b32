#include "support/fair_run.hpp"

#include "support/fair_world.hpp"

#include <algorithm>
#include <utility>

using libpool::duration;
using libpool::task;

namespace test {

namespace {

task* take(std::vector<task*>& from, std::size_t i) {
  auto place = from.begin() + static_cast<std::ptrdiff_t>(i);
  auto* result = *place;
  from.erase(place);
  return result;
}

} // namespace

fair_run::fair_run(const libpool::fair_queuing_options& how,
                   std::uint64_t seats, libpool::virtual_time start)
  : order_(fair_order(how, start)), model_(plain_model(how)), seats_(seats) {
  seats_change(seats);
}

// -- what may happen ----------------------------------------------------------

void fair_run::submit(const std::string& flow, std::size_t width, bool urgent) {
  auto& what = tasks_.emplace_back();
  what.flow = flow;
  what.width = width;
  what.urgent = urgent;
  what.number = tasks_.size();
  what.accepted = now;
  what.rank = order_->rank(what);
  wait(what);
}

task* fair_run::send_next() {
  auto* what = order_->choose(now);
  if (what == nullptr
      || std::min<std::uint64_t>(what->width, seats_) + taken_ > seats_)
    return nullptr;
  what->seats = std::min<std::size_t>(what->width, seats_);
  order_->dispatched(*what, now);
  model_->dispatched(*what, now);
  what->started = now;
  taken_ += what->seats;
  waiting.erase(std::find(waiting.begin(), waiting.end(), what));
  running.push_back(what);
  return what;
}

void fair_run::end(std::size_t i, duration ran) {
  part(i, ran);
}

void fair_run::crash(std::size_t i, duration ran) {
  auto& what = *part(i, ran);
  ++what.crashes;
  wait(what);
}

void fair_run::come_back(std::size_t i) {
  wait(*part(i, std::nullopt));
}

void fair_run::hold_next() {
  auto* what = order_->choose(now);
  if (what == nullptr)
    return;
  order_->held(*what, now);
  model_->held(*what, now);
  waiting.erase(std::find(waiting.begin(), waiting.end(), what));
  held.push_back(what);
}

void fair_run::free(std::size_t i) {
  auto* what = take(held, i);
  order_->freed(*what, now);
  model_->freed(*what, now);
  waiting.push_back(what);
}

void fair_run::cancel(std::size_t i) {
  auto* what = take(waiting, i);
  order_->removed(*what, now);
  model_->removed(*what, now);
}

void fair_run::seats_change(std::uint64_t seats) {
  seats_ = seats;
  order_->seated(seats, now);
  model_->seated(seats, now);
}

task* fair_run::part(std::size_t i, std::optional<duration> ran) {
  auto* what = take(running, i);
  order_->unassigned(*what, ran, now);
  model_->unassigned(*what, ran, now);
  taken_ -= what->seats;
  return what;
}

void fair_run::wait(task& task) {
  order_->added(task, now);
  model_->added(task, now);
  waiting.push_back(&task);
}

// -- questions ----------------------------------------------------------------

bool fair_run::agree() const {
  return order_->choose(now) == model_->choose();
}

bool fair_run::say_the_same() const {
  auto rows = order_->flows(model_->queues().size());
  auto differs = [&](const plain_queue& each) {
    if (each.is_idle())
      return false;
    auto i = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
      return row.name == each.name;
    });
    auto behind = static_cast<double>(model_->clock() - each.next);
    return i == rows.end() || i->running != each.running
           || i->waiting != each.waiting.size() + each.held
           || i->lag.count() != static_cast<std::int64_t>(behind * each.share);
  };
  const auto& all = model_->queues();
  return std::none_of(all.begin(), all.end(), differs);
}

} // namespace test
