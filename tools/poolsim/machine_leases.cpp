/// Tasks that workers go on with by themselves, as in managed pools.

#include "machine.hpp"

#include "libpool/core/lease_size.hpp"

#include <algorithm>
#include <array>

namespace poolsim {

namespace {

using libpool::lease_size;

/// Whether a pool need not see each of such tasks.
bool is_plain(const work& work) {
  return work.width == 1 && !work.deadline && !work.estimate && !work.home
         && !work.where && work.move.empty();
}

/// Whether a managed pool with these options would give leases at all, as far
/// as its policy lets it.
bool may_lease(const scenario& scenario) {
  auto all_are_plain = [](const auto& works) {
    return std::all_of(works.begin(), works.end(), is_plain);
  };
  auto has_one_seat = [](const worker_settings& each) {
    return each.seats == 1;
  };
  return scenario.leases && scenario.gather == nullptr
         && scenario.window.value_or(1) == 1 && scenario.retries == 0
         && scenario.capacity == std::numeric_limits<std::size_t>::max()
         && !scenario.deadline && all_are_plain(scenario.tasks)
         && all_are_plain(scenario.clients)
         && std::all_of(scenario.workers.begin(), scenario.workers.end(),
                        has_one_seat);
}

} // namespace

/// How long a lease may take; zero: there are none.
duration machine::longest_lease() const {
  return may_lease(scenario_) ? std::min(pool_.may_go_on(), lease_size::longest)
                              : duration{0};
}

/// Whether a task that comes waits for others to end.
bool machine::has_to_wait() const {
  return longest_lease_ > duration{0}
         && (!waiting_.empty() || pool_.books().waiting > 0
             || pool_.is_saturated());
}

/// One task at a time, since the next one of its line may be next of all.
void machine::dispatch_lines() {
  do {
    enter_heads();
    while (auto* next = pool_.dispatch_next(now())) {
      if (auto& task = static_cast<job&>(*next); task.head_of != nullptr)
        give_task(task);
      enter_heads();
    }
    carry_out();
  } while (!pool_.is_saturated() && joined_ > departed_ && waiting_.empty()
           && share());
}

/// Makes a head for each line of tasks without one.
void machine::enter_heads() {
  while (auto* line = waiting_.next_without_head()) {
    auto& head = empty_job();
    head.flow = flows_[line->flow];
    head.head_of = line;
    waiting_.set_head(*line, head);
    pool_.submitted(head, now(), libpool::instant{line->tasks.front().came});
  }
}

/// The job, which stands for a line, is the first task of it from now on.
void machine::give_task(job& head) {
  auto first = waiting_.take_with_head(*std::exchange(head.head_of, nullptr));
  become(head, first);
  head.leads = true;
}

void machine::become(job& job, const waiting_task& task) {
  job.id = task.id;
  job.from = task.from;
  pool_.stands_for(job, libpool::instant{task.came});
}

/// Leaves the worker, which has ended a task at this instant, further tasks
/// behind the one that it is sent.
void machine::lease_behind(job& sent, server& to) {
  while (!leased_.empty()
         && leased_.front()->leased_at + lease_size::overdue < now_)
    take_lease_back(*leased_.front());
  auto& line = waiting_.of(sent.from.work->flow);
  auto size = lease_size::of(line.tasks.size() + 1, service_.get(),
                             longest_lease_);
  to.leased_at = now_;
  while (to.lease.size() + 1 < size)
    to.lease.push_back(waiting_.take(line));
  if (to.lease.empty())
    return;
  pool_.leads(sent, to.lease.size());
  leased_.push_back(&to);
  ++leases_;
}

/// The worker, which has ended with the task, takes the next one of its lease.
/// Returns false if it has none, or the pool is to be told.
bool machine::goes_on(job& ended, server& on) {
  if (on.lease.empty() || now_ > on.leased_at + longest_lease_)
    return false;
  auto next = on.lease.front();
  on.lease.pop_front();
  if (on.lease.empty())
    leased_.erase(std::find(leased_.begin(), leased_.end(), &on));
  last_ = now_;
  books_.answered(ended.id, fate::completed, {}, now_);
  arrivals_.answered(ended.from, now_);
  const std::array times{
    libpool::run_times{ended.accepted, ended.started, now()},
    libpool::run_times{libpool::instant{next.came}, {}, {}}};
  pool_.went_on(ended, times.data(), times.data() + 1);
  become(ended, next);
  start(ended, on);
  return true;
}

/// What the worker has not begun waits again.
void machine::take_lease_back(server& from) {
  if (from.lease.empty())
    return;
  for (const auto& each : from.lease)
    waiting_.put_back(each);
  from.lease.clear();
  leased_.erase(std::find(leased_.begin(), leased_.end(), &from));
}

/// The later half of the oldest lease waits again, for a worker that has
/// nothing. Returns whether there is one.
bool machine::share() {
  if (leased_.empty())
    return false;
  auto& oldest = *leased_.front();
  for (auto n = (oldest.lease.size() + 1) / 2; n > 0; --n) {
    waiting_.put_back(oldest.lease.back());
    oldest.lease.pop_back();
  }
  if (oldest.lease.empty())
    leased_.pop_front();
  return true;
}

} // namespace poolsim
