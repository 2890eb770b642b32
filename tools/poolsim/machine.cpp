/// The clock, and the tasks.

#include "machine.hpp"

#include "libpool/core/lease_size.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace poolsim {

namespace {

using libpool::instant;

libpool::limits limits_of(const scenario& scenario) {
  libpool::limits result;
  result.capacity = scenario.capacity;
  result.retries = scenario.retries;
  result.backoff = scenario.backoff;
  result.budget = scenario.budget;
  result.throttles = scenario.throttles;
  result.by_flow = std::any_of(
    scenario.events.begin(), scenario.events.end(), [](const auto& each) {
      return each.within != nullptr
             || (each.flow && each.is != user_event::action::cancel);
    });
  result.seed = scenario.seed;
  result.poison_after = scenario.poison_after;
  result.time_limit = scenario.time_limit;
  result.shed = scenario.shed;
  result.joint = scenario.joint;
  result.drop_hopeless = scenario.drop_hopeless;
  if (scenario.leases)
    result.leases.most = libpool::lease_size::most;
  return result;
}

void keep_earlier(std::optional<duration>& result,
                  std::optional<duration> other) {
  if (other && (!result || *other < *result))
    result = other;
}

} // namespace

machine::machine(const scenario& scenario, libpool::composition parts,
                 const run_listener& listener)
  : scenario_(scenario),
    arrivals_(scenario),
    books_(scenario, listener),
    events_(scenario),
    staffing_({most_workers, scenario.stand_ins, {}}),
    sizing_(scenario.autoscale),
    gathers_(scenario, arrivals_, pool_, serving_,
             [this](auto& message, auto number, auto* worker) {
               return make_task(message, number, worker);
             }),
    pool_(std::move(parts), limits_of(scenario)) {
  staffing_.begin();
  for (const auto& name : scenario.flows)
    flows_.emplace_back(name);
  parked_of_flows_.resize(flows_.size());
  if (scenario.nodes)
    nodes_ = std::make_unique<nodes>(scenario, static_cast<node_owner&>(*this));
  else
    prepare_workers();
  prepare_choices();
}

// -- the clock ----------------------------------------------------------------

result machine::run() {
  for (;;) {
    auto next = next_event().value_or(duration::max());
    auto time = std::min(next, next_tick());
    if (time == duration::max() || time > scenario_.until.value_or(time))
      break;
    let_time_pass(time);
    happen();
    if (time == next)
      last_ = time;
    if (is_over())
      break;
  }
  return close(scenario_.until.value_or(last_));
}

/// When something happens next, whatever the dispatcher does.
std::optional<duration> machine::next_event() {
  drop_void_ends();
  auto result = arrivals_.next();
  keep_earlier(result, next_change());
  keep_earlier(result, events_.next());
  if (!ends_.empty())
    keep_earlier(result, ends_.top().at);
  if (nodes_ != nullptr)
    keep_earlier(result, nodes_->next());
  return result;
}

/// Returns the next time at which the dispatcher or a gather has to be told the
/// time.
duration machine::next_tick() {
  auto result = duration::max();
  for (auto tick : {pool_.next_tick().time_since_epoch(), gathers_.next_tick(),
                    next_sizing()})
    if (tick > now_)
      result = std::min(result, tick);
  return result;
}

/// All that happens at this instant, in rounds until nothing is left.
void machine::happen() {
  do {
    end_due_tasks();
    change_workers();
    have_nodes_happen();
    carry_out_events();
    submit_due_arrivals();
    dispatch();
  } while (next_event().value_or(duration::max()) <= now_);
  events_.note_quiet(now_, [this](const auto& each) { return is_quiet(each); });
  assert(pool_.books().balances());
}

void machine::dispatch() {
  if (pool_.next_tick() <= now())
    pool_.ticked(now());
  if (gathers_.next_tick() <= now_) {
    carry_out(); // a task past its deadline has not answered
    gathers_.time_passed(now_);
  }
  decide();
  if (nodes_ != nullptr)
    nodes_->flush(now_);
}

// -- tasks --------------------------------------------------------------------

void machine::submit_due_arrivals() {
  while (auto next = arrivals_.take(now_))
    submit(*next);
}

/// A full pool dispatches before it refuses, so there may be something to do.
void machine::submit(const arrival& arrival) {
  if (gathers_.are_on())
    gathers_.came(arrival, now_);
  else
    pool_.submitted(
      new_job(arrival, books_.submitted(arrival.work->flow, now_)), now());
  carry_out();
}

std::size_t machine::make_task(gathered_message& message, std::size_t number,
                               libpool::gather_worker* worker) {
  const auto& arrival = message.from;
  auto& task = new_job(of_task(arrival, number),
                       books_.submitted(arrival.work->flow, now_));
  if (arrival.deadline)
    task.deadline = instant{message.came + *arrival.deadline};
  libpool::gather_book::made(message, task, task, number, worker);
  auto result = task.id;
  pool_.submitted(task, now());
  return result;
}

job& machine::empty_job() {
  if (spare_.empty()) {
    spare_.push_back(jobs_.size());
    jobs_.emplace_back();
  }
  auto slot = spare_.back();
  spare_.pop_back();
  auto& result = jobs_[slot].emplace();
  result.slot = slot;
  return result;
}

job& machine::new_job(const arrival& arrival, std::size_t id) {
  auto& result = empty_job();
  result.id = id;
  result.from = arrival;
  result.own_notes().priority = arrival.work->priority;
  result.flow = flows_[arrival.work->flow];
  result.own_notes().width = arrival.work->width;
  if (scenario_.how.placement.entry().asks == libpool::asked::key)
    result.own_notes().key = result.flow.key().hash();
  if (arrival.deadline)
    result.deadline = now() + *arrival.deadline;
  result.own_notes().estimate = arrival.work->estimate;
  result.set_kind(libpool::fnv_1a(arrival.work->kind));
  if (arrival.work->move.size() == 1)
    result.own_notes().move = arrival.work->move.front();
  else if (!arrival.work->move.empty())
    result.own_notes().moves = &arrival.work->move;
  if (arrival.work->home)
    result.own_notes().home = libpool::worker_number{*arrival.work->home};
  if (arrival.work->where)
    result.own_notes().where = &choices_[*arrival.work->where];
  let_join(result);
  return result;
}

void machine::forget(job& task) {
  spare_.push_back(task.slot);
  jobs_[task.slot].reset();
}

/// For how long the worker is at it.
duration machine::time_of(const job& job, const server& server) const {
  const auto& arrival = job.from;
  return arrival.work->draws
           ? run_time(scenario_, *arrival.work, arrival.service, server.like)
           : run_time(scenario_, *arrival.work, server.like);
}

void machine::start(job& job, server& server) {
  auto ends = now_ + time_of_run(job, server);
  server.free -= server.seats_for(job);
  job.run = ++runs_;
  auto& row = books_.row(job.id);
  row.started = now_;
  ++row.attempts;
  ends_.push({ends, job.run, job.slot});
  pool_.started(job, now());
  if (job.gather == nullptr)
    arrivals_.started(job.from, now_, ends);
}

void machine::end_due_tasks() {
  drop_void_ends();
  while (!ends_.empty() && ends_.top().at <= now_) {
    auto& job = *jobs_[ends_.top().slot];
    ends_.pop();
    complete(job);
    drop_void_ends();
  }
}

void machine::complete(job& job) {
  auto& place = static_cast<server&>(*job.on);
  note_answer(job);
  stop(job, place,
       job.error > 0 ? task_run::ending::error : task_run::ending::completed);
  books_.row(job.id).worker = static_cast<std::uint32_t>(place.id);
  job.own_attempt().cpu_time = now() - job.started;
  give_followers_back(place);
  place.completed += report_end(job) ? 1U : 0U;
  carry_out();
  start_next(place);
  carry_out();
}

/// Notes with which error the handler answers, if with any.
void machine::note_answer(job& job) {
  auto& row = books_.row(job.id);
  auto error = error_of(job.from, attempt_at(job));
  job.error = error && row.is != fate::cancelled
                ? static_cast<std::uint32_t>(*error + 1)
                : 0;
  row.error = job.error;
}

unsigned machine::attempt_at(const job& job) {
  return job.notes().crashes + job.notes().errors + 1;
}

/// Reports that the handler has ended. Returns whether the task has completed:
/// it is neither tried again nor cancelled.
bool machine::report_end(job& job) {
  auto& row = books_.row(job.id);
  auto& place = static_cast<server&>(*job.on);
  if (row.is == fate::cancelled || !is_tried_again(job)) {
    auto has_completed = row.is != fate::cancelled;
    pool_.finished(job, libpool::ending::completed, now());
    return has_completed;
  }
  ++row.retried_errors;
  row.started = not_yet;
  row.worker = nobody;
  if (job.gather == nullptr)
    arrivals_.interrupted(job.from);
  else
    gathers_.came_back(job, place, now_);
  return false;
}

/// Lets the task wait for its next attempt, if it may have one.
bool machine::is_tried_again(job& job) {
  auto is_needed = job.gather == nullptr || !job.gather->is_decided;
  const auto& rule = scenario_.retry_on;
  if (job.error == 0 || !is_needed || !rule
      || !rule->allows(job.error - 1, attempt_at(job)))
    return false;
  auto verdict = pool_.answered_with_error(job, rule->after, now(), now());
  using libpool::retry_verdict;
  books_.row(job.id).is_over_budget = verdict == retry_verdict::over_budget;
  return verdict == retry_verdict::yes;
}

/// Returns the number of seats that the task takes: as the pool counts them, or
/// as the worker has them.
std::size_t machine::seats_held(const job& job,
                                const server& server) const noexcept {
  return pool_.needs().has_flows ? job.attempt().seats : server.seats_for(job);
}

/// Ends the run of the task.
void machine::stop(job& job, server& server, task_run::ending ending) {
  const auto& row = books_.row(job.id);
  if (row.is == fate::cancelled)
    ending = job.from.work->obeys_stop ? task_run::ending::stopped
                                       : task_run::ending::overdue;
  books_.note({job.id, job.from.work->flow, server.id, seats_held(job, server),
               row.submitted, row.started, now_, ending, job.notes().steals});
  server.free += server.seats_for(job);
  job.run = 0;
}

/// Forgets the ends of runs that were interrupted.
void machine::drop_void_ends() {
  auto is_void = [this](const run_end& end) {
    return !jobs_[end.slot] || jobs_[end.slot]->run != end.run;
  };
  while (!ends_.empty() && is_void(ends_.top()))
    ends_.pop();
}

// -- the end ------------------------------------------------------------------

result machine::close(duration end) {
  meter(end - now_);
  now_ = end;
  for (const auto& each : jobs_)
    if (each)
      close_row(*each);
  if (nodes_ != nullptr)
    nodes_->close(end);
  auto result = books_.close(end);
  if (nodes_ != nullptr) {
    result.workers = nodes_->rows();
    result.nodes = nodes_->books();
  }
  for (const auto* all : {&servers_, &stand_ins_})
    for (const auto& each : *all)
      result.workers.push_back(row_of(each));
  events_.close(end, books_.flows(), result);
  close_meters(result);
  close_size(result);
  result.books = pool_.books();
  pool_.leases().count_as_unsent(result.books, pool_.needs().is_eager);
  if (scenario_.joint)
    result.joined = pool_.record().joined;
  if (scenario_.leases)
    result.leases = pool_.leases().count();
  if (gathers_.are_on()) {
    result.messages = gathers_.close();
    for (auto& each : result.messages->rows)
      each.flow = books_.rank(each.flow) - 1;
  }
  return result;
}

void machine::close_row(const job& job) {
  if (job.on == nullptr || counts_as_waiting(job))
    return;
  auto& row = books_.row(job.id);
  const auto& place = static_cast<const server&>(*job.on);
  row.worker = static_cast<std::uint32_t>(place.id);
  row.moves = job.notes().steals;
  if (row.is == fate::waiting)
    row.is = job.run != 0 ? fate::running : fate::assigned;
  if (job.run != 0 && nodes_ == nullptr)
    books_.note({job.id, job.from.work->flow, place.id, seats_held(job, place),
                 row.submitted, row.started, now_,
                 task_run::ending::still_running, job.notes().steals});
}

} // namespace poolsim
