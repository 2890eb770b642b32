/// Events of users, by the calls of the dispatcher that pools use.

#include "machine.hpp"

#include <algorithm>

namespace poolsim {

namespace {

bool is_selected(const user_event& event, const work& work) {
  return (!event.flow || work.flow == *event.flow)
         && (!event.kind || work.kind == *event.kind);
}

} // namespace

void machine::carry_out_events() {
  while (const auto* event = events_.take(now_)) {
    last_ = now_;
    carry_out(*event);
    carry_out();
  }
}

void machine::carry_out(const user_event& event) {
  using action = user_event::action;
  if (event.is == action::cancel)
    return cancel(event);
  if (event.is == action::pause)
    pause(event);
  else if (event.is == action::resume)
    resume(event);
  else
    pool_.limited(*event.within, now());
}

void machine::pause(const user_event& event) {
  if (event.flow)
    return pool_.suspended(scenario_.flows[*event.flow], now());
  if (!event.worker)
    return pool_.suspended(now());
  for (auto* each : workers_of(event))
    pool_.suspended(*each, now());
}

void machine::resume(const user_event& event) {
  if (event.flow)
    return pool_.reinstated(scenario_.flows[*event.flow], now());
  if (!event.worker)
    return pool_.reinstated(now());
  for (auto* each : workers_of(event))
    pool_.reinstated(*each, now());
}

/// Returns the worker of the event, or the sessions of the node.
std::vector<server*> machine::workers_of(const user_event& event) {
  if (nodes_ != nullptr)
    return nodes_->sessions_of(*event.worker);
  return {&servers_[*event.worker]};
}

void machine::cancel(const user_event& event) {
  auto& row = events_.last();
  for (auto* each : pool_.tasks().all()) {
    auto& task = static_cast<job&>(*each);
    auto is_open = task.is != libpool::task::condition::unknown
                   && task.is != libpool::task::condition::overdue;
    if (!is_open || !is_selected(event, *task.from.work))
      continue;
    if (task.gather != nullptr)
      task.gather->is_cancelled = true;
    ++(task.run != 0 ? row.running : row.waiting);
    pool_.cancelled(task, libpool::errc::cancelled, now());
  }
}

/// Whether no handler of the paused scope runs.
bool machine::is_quiet(const user_event& event) {
  const auto& books = pool_.books();
  if (event.flow)
    return pool_.gates().running(scenario_.flows[*event.flow]) == 0;
  if (!event.worker)
    return books.sent + books.running + pool_.tasks().overdue() == 0;
  auto workers = workers_of(event);
  return std::all_of(workers.begin(), workers.end(),
                     [](auto* each) { return each->in_mailbox == 0; });
}

/// The task was cancelled. If its handler looks for this, its run ends at this
/// instant.
void machine::ask_to_stop(job& job) {
  if (job.run == 0 || nodes_ != nullptr || !job.from.work->obeys_stop)
    return;
  job.run = ++runs_;
  ends_.push({now_, job.run, job.slot});
}

/// Records how many tasks are held back, and how many wait for a retry, for the
/// time `lasted`, in which nothing happens.
void machine::meter(duration lasted) {
  meter_size(lasted);
  const auto parked = pool_.gates().held_back(now());
  parked_.add(parked, lasted);
  retrying_.add(pool_.retrying(), lasted);
  if (parked > 0)
    for (std::size_t i = 0; i < flows_.size(); ++i)
      parked_of_flows_[i].add(pool_.gates().held_back(flows_[i].key(), now()),
                              lasted);
}

void machine::close_meters(result& result) const {
  auto all = parked_.time();
  result.parked = {parked_.mean(all), parked_.most()};
  result.retrying = {retrying_.mean(all), retrying_.most()};
  const auto& flows = books_.flows();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto& meter = parked_of_flows_[flows[i]];
    result.flows[i].parked = {meter.mean(all), meter.most()};
  }
}

} // namespace poolsim
