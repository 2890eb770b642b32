/// The clock, and the tasks.

#include "machine.hpp"

#include <string>
#include <utility>

namespace poolsim {

namespace {

using libpool::decision;
using libpool::instant;

libpool::limits limits_of(const scenario& what) {
  libpool::limits result;
  result.capacity = what.capacity;
  result.retries = what.retries;
  result.poison_after = what.poison_after;
  return result;
}

fate fate_of(libpool::outcome how) {
  switch (how) {
    case libpool::outcome::completed:
      return fate::completed;
    case libpool::outcome::failed:
      return fate::failed;
    case libpool::outcome::cancelled:
      return fate::cancelled;
    default:
      return fate::refused;
  }
}

void keep_earlier(std::optional<duration>& result,
                  std::optional<duration> other) {
  if (other && (!result || *other < *result))
    result = other;
}

} // namespace

machine::machine(const scenario& what, libpool::composition parts,
                 const run_listener& listener)
  : what_(what),
    arrivals_(what),
    books_(what, listener),
    gathers_(what, arrivals_, *this),
    pool_(std::move(parts), limits_of(what)) {
  flows_.assign(what.flows.begin(), what.flows.end());
  prepare_workers();
  prepare_choices();
}

// -- the clock ----------------------------------------------------------------

result machine::run() {
  for (;;) {
    auto next = next_event().value_or(duration::max());
    auto at = std::min(next, next_tick());
    if (at == duration::max() || at > what_.until.value_or(at))
      break;
    now_ = at;
    happen();
    if (at == next)
      last_ = at;
  }
  return close(what_.until.value_or(last_));
}

/// When something happens next, whatever the dispatcher does.
std::optional<duration> machine::next_event() {
  drop_void_ends();
  auto result = arrivals_.next();
  keep_earlier(result, next_change());
  if (!ends_.empty())
    keep_earlier(result, ends_.top().at);
  return result;
}

/// When the dispatcher or a gather wants to be told the time.
duration machine::next_tick() const {
  auto result = duration::max();
  for (auto tick : {pool_.next_tick().time_since_epoch(), gathers_.next_tick()})
    if (tick > now_)
      result = std::min(result, tick);
  return result;
}

/// All that happens at this instant, in rounds until nothing is left.
void machine::happen() {
  do {
    end_what_is_due();
    change_workers();
    submit_what_is_due();
    dispatch();
  } while (next_event().value_or(duration::max()) <= now_);
}

void machine::dispatch() {
  if (pool_.next_tick() <= now())
    pool_.ticked(now());
  if (gathers_.next_tick() <= now_) {
    carry_out(); // what has passed its deadline has not answered
    gathers_.time_passed(now_);
  }
  pool_.dispatch(now());
  carry_out();
}

// -- tasks --------------------------------------------------------------------

void machine::submit_what_is_due() {
  while (auto next = arrivals_.take(now_))
    submit(*next);
}

/// A full pool dispatches before it refuses, so there may be something to do.
void machine::submit(const arrival& what) {
  if (gathers_.are_on())
    gathers_.came(what, now_);
  else
    pool_.submitted(new_job(what), now());
  carry_out();
}

std::size_t machine::make_task(const arrival& from, gathered_message& of,
                               std::size_t number, server* who) {
  auto& task = new_job(of_task(from, number));
  if (from.what->deadline)
    task.deadline = instant{of.came + *from.what->deadline};
  task.message = &of;
  task.number = number;
  of.open.push_back(&task);
  if (who != nullptr) {
    task.asked_of = who;
    task.where = &who->alone;
    who->asked.push_back(&task);
  }
  auto result = task.id;
  pool_.submitted(task, now());
  return result;
}

void machine::cancel(job& task, libpool::errc why) {
  pool_.cancelled(task, why, now());
}

job& machine::new_job(const arrival& what) {
  if (spare_.empty()) {
    spare_.push_back(jobs_.size());
    jobs_.emplace_back();
  }
  auto slot = spare_.back();
  spare_.pop_back();
  auto& result = jobs_[slot].emplace();
  result.slot = slot;
  result.id = books_.submitted(what.what->flow, now_);
  result.from = what;
  result.priority = what.what->priority;
  result.flow = flows_[what.what->flow];
  result.width = what.what->width;
  if (what_.how.placement.name() == "consistent_hash")
    result.key = result.flow.hash();
  if (what.what->deadline)
    result.deadline = now() + *what.what->deadline;
  result.estimate = what.what->estimate;
  result.kind = libpool::fnv_1a(what.what->kind);
  if (what.what->move.size() == 1)
    result.move = what.what->move.front();
  else if (!what.what->move.empty())
    result.moves = &what.what->move;
  if (what.what->home)
    result.home = libpool::worker_number{*what.what->home};
  if (what.what->where)
    result.where = &choices_[*what.what->where];
  return result;
}

/// For how long the worker is at it.
duration machine::time_of(const job& what, const server& who) const {
  const auto& from = what.from;
  return from.what->draws ? run_time(what_, *from.what, from.service, who.id)
                          : run_time(what_, *from.what, who.id);
}

void machine::start(job& what, server& who) {
  auto ends = now_ + time_of(what, who);
  who.free -= who.seats_for(what);
  what.run = ++runs_;
  books_.row(what.id).started = now_;
  ends_.push({ends, what.run, what.slot});
  pool_.started(what, now());
  if (what.message == nullptr)
    arrivals_.started(what.from, now_, ends);
}

void machine::end_what_is_due() {
  drop_void_ends();
  while (!ends_.empty() && ends_.top().at <= now_) {
    auto& what = *jobs_[ends_.top().slot];
    ends_.pop();
    complete(what);
    drop_void_ends();
  }
}

void machine::complete(job& what) {
  auto& who = static_cast<server&>(*what.on);
  stop(what, who, task_run::ending::completed);
  auto& row = books_.row(what.id);
  row.worker = static_cast<std::uint32_t>(who.id);
  if (row.is != fate::cancelled)
    ++who.completed;
  what.cpu_time = now() - what.started;
  pool_.finished(what, libpool::ending::completed, now());
  carry_out();
  start_next(who);
  carry_out();
}

/// Has the task run no more.
void machine::stop(job& what, server& who, task_run::ending how) {
  const auto& row = books_.row(what.id);
  if (row.is == fate::cancelled)
    how = task_run::ending::overdue;
  books_.note({what.id, what.from.what->flow, who.id, who.seats_held(what),
               row.submitted, row.started, now_, how, what.steals});
  who.free += who.seats_for(what);
  what.run = 0;
}

/// Forgets the ends of runs that were interrupted.
void machine::drop_void_ends() {
  auto is_void = [this](const run_end& what) {
    return !jobs_[what.slot] || jobs_[what.slot]->run != what.run;
  };
  while (!ends_.empty() && is_void(ends_.top()))
    ends_.pop();
}

// -- decisions ----------------------------------------------------------------

/// More may come while they are carried out.
void machine::carry_out() {
  auto& all = pool_.decisions();
  for (std::size_t done = 0; done < all.size();)
    carry_out(decision{all[done++]});
  all.clear();
}

void machine::carry_out(const decision& what) {
  switch (what.is) {
    case decision::kind::send: {
      auto& who = static_cast<server&>(*what.worker);
      auto& task = static_cast<job&>(*what.task);
      who.inbox.push_back(&task);
      if (task.message != nullptr)
        gathers_.sent(task, now_);
      return start_next(who);
    }
    case decision::kind::settle:
      return settle(what);
    case decision::kind::release: {
      auto& task = static_cast<job&>(*what.task);
      auto slot = task.slot;
      if (task.message != nullptr)
        gathers_.released(task);
      jobs_[slot].reset();
      return spare_.push_back(slot);
    }
    case decision::kind::recall:
      return recall(static_cast<job&>(*what.task),
                    static_cast<server&>(*what.worker));
    case decision::kind::dismiss:
      return;
  }
}

void machine::settle(const decision& what) {
  auto& settled = static_cast<job&>(*what.task);
  last_ = now_;
  note_end(settled, what);
  if (settled.message != nullptr)
    gathers_.settled(settled, what.how, what.why, now_);
  else if (what.how != libpool::outcome::refused)
    arrivals_.answered(settled.from, now_);
}

void machine::note_end(const job& settled, const decision& what) {
  if (what.how == libpool::outcome::refused)
    return books_.refused(settled.id, what.why);
  auto& row = books_.row(settled.id);
  row.moves = settled.steals;
  if (what.worker != nullptr) // it still runs there
    row.worker =
      static_cast<std::uint32_t>(static_cast<server&>(*what.worker).id);
  books_.answered(settled.id, fate_of(what.how), what.why, now_);
}

// -- the end ------------------------------------------------------------------

result machine::close(duration end) {
  now_ = end;
  for (const auto& each : jobs_)
    if (each)
      close_row(*each);
  auto result = books_.close(end);
  for (const auto& each : servers_)
    result.workers.push_back(row_of(each));
  result.books = pool_.books();
  if (gathers_.are_on()) {
    result.messages = gathers_.close();
    for (auto& each : result.messages->rows)
      each.flow = books_.rank(each.flow) - 1;
  }
  return result;
}

void machine::close_row(const job& what) {
  auto& row = books_.row(what.id);
  if (what.on == nullptr)
    return;
  const auto& who = static_cast<const server&>(*what.on);
  row.worker = static_cast<std::uint32_t>(who.id);
  row.moves = what.steals;
  if (row.is == fate::waiting)
    row.is = what.run != 0 ? fate::running : fate::assigned;
  if (what.run != 0)
    books_.note({what.id, what.from.what->flow, who.id, who.seats_held(what),
                 row.submitted, row.started, now_,
                 task_run::ending::still_running, what.steals});
}

} // namespace poolsim
