/// Tasks that workers go on with by themselves, as in managed pools.

#include "machine.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace poolsim {

namespace {

bool asks_for_place(const work& work) {
  return work.estimate || work.home || work.where || !work.move.empty();
}

/// Whether `is_so` holds for any task that is submitted.
template <class F>
bool any_work(const scenario& of, F is_so) {
  return std::any_of(of.tasks.begin(), of.tasks.end(), is_so)
         || std::any_of(of.clients.begin(), of.clients.end(), is_so);
}

} // namespace

void machine::prepare_leases() {
  libpool::lease_obstacles against;
  against.gathers = scenario_.gather != nullptr;
  auto own_deadlines = any_work(scenario_, [this](const work& each) {
    return each.deadline_of || each.deadline != scenario_.deadline;
  });
  against.places = any_work(scenario_, asks_for_place);
  against.seats =
    any_work(scenario_, [](const work& each) { return each.width != 1; })
    || std::any_of(scenario_.workers.begin(), scenario_.workers.end(),
                   [](const auto& each) { return each.seats != 1; });
  against.windows = scenario_.window.value_or(1) != 1;
  against.nodes = scenario_.nodes.has_value();
  if (scenario_.leases)
    book_.begin(against,
                {scenario_.capacity, scenario_.deadline, own_deadlines});
  if (scenario_.leases && !book_.are_on() && nodes_ == nullptr)
    pool_.lease_at_most(libpool::lease_size::most);
}

/// Returns the line in which the task has to wait; nullptr if the dispatcher
/// is told of the task at once.
waiting_line* machine::line_for(const job& described) {
  if (!book_.are_on() || book_.goes_by_worker() || !book_.has_to_wait())
    return nullptr;
  return book_.has_heads() ? book_.line_for(described) : &book_.waiting().all();
}

job& machine::task_of(const waiting_line&,
                      const waiting_line::message& waited) {
  return new_job(waited.content.from, waited.content.id, waited.came);
}

bool machine::has_workers() const {
  return !serving_.empty();
}

job& machine::new_head(const waiting_line& of) {
  auto& result = empty_job();
  result.own_notes().flow = of.flow;
  result.own_notes().priority = of.priority;
  return result;
}

void machine::become(libpool::task& head, const waiting_task& task) {
  auto& known = static_cast<job&>(head);
  known.id = task.id;
  known.from = task.from;
}

/// Makes a task of one that has waited.
void machine::submit(const waiting_line::message& waited) {
  pool_.accepted(task_of(book_.waiting().all(), waited), now(), waited.came);
}

/// Gives the worker, which has ended a task at this instant, further tasks
/// behind the one that it is sent.
void machine::lease_behind(job& sent, server& to) {
  auto* line = pool_.gates().limits_rate(sent) ? nullptr
                                               : book_.line_behind(sent);
  if (line == nullptr)
    return;
  if (to.lease == nullptr)
    to.lease = std::make_unique<server_lease>(to);
  book_.fill(*to.lease, sent, *line, service_.get(), now());
  pool_.leads(sent, to.lease->unknown());
}

/// The worker, which has ended with the task, takes the next one of its lease.
/// Returns false if it has none, or the pool is to be told.
bool machine::goes_on(job& ended, server& on) {
  auto may_be_retried = ended.error > 0 && scenario_.retry_on;
  if (on.lease == nullptr || may_be_retried)
    return false;
  const auto* next = on.lease->take_next(ended.attempt().started, now());
  if (next == nullptr)
    return false;
  last_ = now_;
  ++on.completed;
  books_.answered(ended.id, fate::completed, {}, now_);
  arrivals_.answered(ended.from, now_);
  auto [first, last] = book_.leases().tell_ends(*on.lease);
  pool_.went_on(ended, first, last, on.lease->assigned_behind(*first));
  become(ended, *next);
  start(ended, on);
  return true;
}

/// Sends the worker the tasks that follow the task.
void machine::send_followers(job& first, server& to) {
  for (auto i = std::next(to.mailbox.iterator_to(first));
       i != to.mailbox.end() && i->follows; ++i)
    if (!i->recalled)
      to.inbox.push_back(&static_cast<job&>(*i));
}

/// The worker gives back the tasks that it was sent together with others, and
/// has not begun, if it is time to.
void machine::give_followers_back(server& from) {
  if (from.followers == 0 || now() <= from.leased_until)
    return;
  while (!from.inbox.empty() && from.inbox.back()->follows) {
    auto& last = *from.inbox.back();
    from.inbox.pop_back();
    pool_.unhandled(last, now());
  }
}

/// What the worker has not begun waits again.
void machine::take_lease_back(server& from) {
  if (from.lease != nullptr)
    book_.leases().ended(*from.lease);
}

} // namespace poolsim
