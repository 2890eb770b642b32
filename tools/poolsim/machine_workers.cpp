/// The workers.

#include "machine.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace poolsim {

namespace {

/// The workers that go, in that order.
std::vector<std::size_t> in_order_of_departure(const scenario& scenario) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < scenario.workers.size(); ++i)
    if (departure_of(scenario.workers[i]))
      result.push_back(i);
  std::stable_sort(result.begin(), result.end(), [&](auto x, auto y) {
    return *departure_of(scenario.workers[x])
           < *departure_of(scenario.workers[y]);
  });
  return result;
}

} // namespace

void machine::prepare_workers() {
  assert(std::is_sorted(scenario_.workers.begin(), scenario_.workers.end(),
                        joins_sooner));
  departures_ = in_order_of_departure(scenario_);
  for (std::size_t i = 0; i < scenario_.workers.size(); ++i)
    prepare(servers_.emplace_back(), i, i);
}

void machine::prepare_choices() {
  for (const auto& each : scenario_.choices) {
    auto& choice = choices_.emplace_back();
    choice.loose = each.loose;
    for (auto id : each.only)
      choice.only.push_back(libpool::worker_number{id});
  }
}

void machine::join(server& server) {
  serving_.push_back(&server);
  pool_.joined(server, now());
}

void machine::take_out(server& server) {
  serving_.erase(std::find(serving_.begin(), serving_.end(), &server));
}

std::optional<duration> machine::next_change() const {
  std::optional<duration> result;
  if (joined_ < servers_.size())
    result = scenario_.workers[joined_].join;
  if (departed_ < departures_.size()) {
    auto next = *departure_of(scenario_.workers[departures_[departed_]]);
    result = result ? std::min(*result, next) : next;
  }
  if (!starting_.empty())
    result = std::min(result.value_or(duration::max()),
                      starting_.front().first);
  return result;
}

void machine::change_workers() {
  while (joined_ < servers_.size() && scenario_.workers[joined_].join <= now_) {
    staffing_.added();
    join(servers_[joined_++]);
    carry_out();
  }
  join_started();
  for (; departed_ < departures_.size(); ++departed_) {
    auto id = departures_[departed_];
    const auto& settings = scenario_.workers[id];
    if (*departure_of(settings) > now_)
      break;
    depart(servers_[id], settings.crash ? libpool::ending::crashed
                                        : libpool::ending::interrupted);
  }
}

/// Goes, and leaves its tasks to the others; the tasks that it runs end like
/// that.
void machine::depart(server& server, libpool::ending of_runs) {
  if (server.is != libpool::worker::condition::serving)
    return; // was too many
  take_out(server);
  auto has_crashed = of_runs == libpool::ending::crashed;
  server.is_taken_out = !has_crashed;
  std::vector<job*> left_behind;
  for (auto& each : server.mailbox)
    left_behind.push_back(&static_cast<job&>(each));
  server.inbox.clear();
  pool_.left(server, now());
  for (auto* each : left_behind)
    take_back(*each, server, of_runs);
  gathers_.left(server, now_);
  if (has_crashed)
    staffing_.crashed(count_workers(), now());
  else
    staffing_.removed(count_workers());
  carry_out();
}

void machine::take_back(job& job, server& server, libpool::ending of_run) {
  if (job.run == 0)
    return returned(job, server);
  stop(job, server,
       of_run == libpool::ending::crashed ? task_run::ending::crashed
                                          : task_run::ending::interrupted);
  pool_.finished(job, of_run, now());
  auto& row = books_.row(job.id);
  if (job.is != libpool::task::condition::waiting) {
    row.worker = static_cast<std::uint32_t>(server.id); // of its last run
    return;
  }
  row.started = not_yet;
  row.attempts -= of_run == libpool::ending::interrupted ? 1U : 0U;
  if (job.gather == nullptr)
    arrivals_.interrupted(job.from);
  else
    gathers_.came_back(job, server, now_);
}

/// A worker gives the task back, and has not begun it.
void machine::returned(job& job, server& server) {
  pool_.returned(job, now());
  if (job.gather != nullptr)
    gathers_.came_back(job, server, now_);
}

/// Takes the task back, unless it has begun, as the dispatcher has been told.
void machine::recall(job& job, server& server) {
  if (nodes_ != nullptr)
    return recall_from_node(job, server);
  auto place = std::find(server.inbox.begin(), server.inbox.end(), &job);
  if (job.run != 0 || place == server.inbox.end())
    return;
  server.inbox.erase(place);
  returned(job, server);
  start_next(server); // it may have been in the way
}

/// The tasks of the mailbox start in its order: one that does not fit is not
/// overtaken. A task that is about to be taken back does not start.
void machine::start_next(server& server) {
  while (!server.inbox.empty() && !server.inbox.front()->recalled
         && server.seats_for(*server.inbox.front()) <= server.free) {
    auto& job = *server.inbox.front();
    server.inbox.pop_front();
    start(job, server);
  }
}

/// Sends the worker the tasks that follow the task.
void machine::send_followers(job& first, server& server) {
  for (auto i = std::next(server.mailbox.iterator_to(first));
       i != server.mailbox.end() && i->follows; ++i)
    server.inbox.push_back(&static_cast<job&>(*i));
}

/// The worker gives back the tasks that follow others, and that it has not
/// begun, if they take longer than a lease may.
void machine::give_followers_back(server& server) {
  if (server.followers == 0 || now() <= server.leased_until)
    return;
  while (!server.inbox.empty() && server.inbox.back()->follows) {
    auto& last = *server.inbox.back();
    server.inbox.pop_back();
    pool_.unhandled(last, now());
  }
}

/// Whether the task counts as waiting although a worker has it: with lazy
/// assignment, a task that follows another task can still go to other workers.
bool machine::counts_as_waiting(const job& job) const {
  return job.follows
         && assignment_of(scenario_.how) == libpool::assignment::lazy;
}

worker_row machine::row_of(const server& server) const {
  worker_row result;
  if (server.id != server.like)
    result.stands_in_for = server.like;
  result.completed = server.completed;
  result.busy = server.record.busy;
  for (const auto& each : server.mailbox) {
    const auto& entry = static_cast<const job&>(each);
    if (counts_as_waiting(entry))
      continue;
    if (entry.run != 0)
      result.busy += now_ - entry.started.time_since_epoch();
    (entry.run != 0 ? result.running : result.queued).push_back(entry.id);
  }
  for (const auto* each : server.deque.all())
    result.queued.push_back(static_cast<const job*>(each)->id);
  return result;
}

} // namespace poolsim
