#include "support/dispatcher_witness.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

using libpool::decision;
using libpool::ending;
using libpool::errc;
using libpool::ledger;
using libpool::outcome;
using libpool::task;
using libpool::worker;

namespace test {

namespace {

auto as_tuple(const ledger& b) {
  return std::tie(b.accepted, b.refused, b.waiting, b.assigned, b.sent,
                  b.running, b.completed, b.failed, b.cancelled);
}

auto settled_in(const ledger& b) {
  return std::tie(b.refused, b.completed, b.failed, b.cancelled);
}

} // namespace

dispatcher_witness::dispatcher_witness(dispatcher_world& of, const makeup& how)
  : world_(of),
    how_(how),
    order_(static_cast<watched_order&>(*of.policies.order)),
    placement_(static_cast<watched_placement&>(*of.policies.placement)),
    stealing_(how.is_stealing_watched()
                ? static_cast<watched_stealing*>(of.policies.stealing)
                : nullptr),
    tasks_(of.tasks.size()),
    workers_(of.workers.size()),
    bound_(of.tasks.size()) {
  // nop
}

// -- facts about workers ------------------------------------------------------

void dispatcher_witness::joined(std::size_t task) {
  auto before = books();
  auto is_new = !workers_[task].known;
  if (is_new) {
    workers_[task] = {};
    workers_[task].known = true;
    joined_ = std::max(
      joined_, static_cast<std::uint64_t>(world_.workers[task].number) + 1);
    some_have_seats_ = some_have_seats_ || world_.workers[task].seats > 1;
  }
  world_.pool.joined(world_.workers[task], world_.now);
  change_nothing(before);
  read_decisions();
}

void dispatcher_witness::retired(std::size_t task) {
  auto before = books();
  auto& life = workers_[task];
  auto matters = life.known && !life.out;
  life.out = life.known;
  world_.pool.retired(world_.workers[task], world_.now);
  if (!matters)
    change_nothing(before);
  read_decisions();
}

void dispatcher_witness::left(std::size_t task) {
  auto before = books();
  auto& life = workers_[task];
  auto matters = life.known && !life.dead;
  life.out = life.dead = life.known;
  world_.pool.left(world_.workers[task], world_.now);
  if (!matters)
    change_nothing(before);
  read_decisions();
}

void dispatcher_witness::paused(std::size_t task) {
  auto before = books();
  workers_[task].pauses = workers_[task].known;
  world_.pool.paused(world_.workers[task], world_.now);
  change_nothing(before);
  read_decisions();
}

void dispatcher_witness::resumed(std::size_t task) {
  auto before = books();
  workers_[task].pauses = false;
  world_.pool.resumed(world_.workers[task], world_.now);
  change_nothing(before);
  read_decisions();
}

// -- facts about tasks --------------------------------------------------------

void dispatcher_witness::submitted(std::size_t one) {
  auto before = books();
  auto was_unsent = unsent();
  auto is_new = !tasks_[one].known;
  if (is_new) {
    tasks_[one] = {};
    tasks_[one].known = true;
    tasks_[one].submitted = world_.now;
  }
  note_bindings();
  auto were_of_flow = waiting_of_flow(one);
  auto is_too_wide = is_wider_than_all(one);
  told_time_ = world_.now; // if it finds the pool full
  world_.pool.submitted(world_.tasks[one], world_.now);
  if (!is_new)
    return change_nothing(before);
  auto is_accepted = books().refused == before.refused;
  accepted_ += is_accepted ? 1 : 0;
  require(!closed_ || !is_accepted, "a closed pool accepts nothing");
  require(books().accepted + books().refused
            == before.accepted + before.refused + 1,
          "a new task is either accepted or refused");
  read_decisions();
  check_bindings();
  if (!closed_)
    require(is_too_wide == (refusal_of(one) == errc::too_wide),
            "what is wider than the pool is refused for that, if it is to be");
  if (!is_accepted && !closed_ && !is_too_wide)
    check_refusal(one);
  require(tasks_[one].known == is_accepted,
          "what is refused is released, what is accepted is not");
  if (is_accepted)
    check_accepted(one, was_unsent, were_of_flow);
}

/// What is taken though there is no room for it is sent next.
void dispatcher_witness::check_accepted(std::size_t task,
                                        std::uint64_t was_unsent,
                                        std::size_t were_of_flow) {
  auto most = std::max<std::uint64_t>(how_.within.capacity, was_unsent);
  auto most_of_flow = std::max(how_.queue_limit.value_or(tasks_.size()),
                               were_of_flow);
  auto is_over = [&] {
    return unsent() > most
           || (how_.parts_flows && waiting_of_flow(task) > most_of_flow);
  };
  if (!is_over())
    return;
  dispatched();
  require(!is_over(), "what a full pool accepts is sent by the next dispatch");
}

void dispatcher_witness::refused(std::size_t task, errc why) {
  auto before = books();
  auto is_new = !tasks_[task].known;
  if (is_new) {
    tasks_[task] = {};
    tasks_[task].known = true;
  }
  world_.pool.refused(world_.tasks[task], why);
  if (!is_new)
    change_nothing(before);
  read_decisions();
  require(tasks_[task].known == !is_new, "what is refused is released at once");
}

void dispatcher_witness::started(std::size_t task) {
  auto before = books();
  auto& life = tasks_[task];
  auto matters = life.known && life.on && !life.begun;
  life.begun = life.begun || matters;
  world_.pool.started(world_.tasks[task], world_.now);
  if (!matters)
    change_nothing(before);
  read_decisions();
}

void dispatcher_witness::finished(std::size_t one, ending how) {
  auto before = books();
  auto& life = tasks_[one];
  auto matters = life.known && life.on;
  auto was_settled = life.settled;
  world_.pool.finished(world_.tasks[one], how, world_.now);
  if (!matters)
    return change_nothing(before);
  take_from_mailbox(one);
  if (was_settled)
    require(settled_in(before) == settled_in(books()),
            "the end of a settled task changes no count of settled ones");
  read_decisions();
  for (const auto& made : made_)
    require(made.is != decision::kind::recall,
            "nothing is recalled because a task has ended");
  if (how == ending::crashed
      && !(life.settled && life.how == outcome::cancelled))
    return end_crashed(one);
  require(!life.known, "the end of a task releases it");
  require(life.how == outcome::completed || life.how == outcome::cancelled,
          "what completes does not fail");
}

void dispatcher_witness::end_crashed(std::size_t task) {
  auto& life = tasks_[task];
  auto crashes = ++life.crashes;
  auto poisoned = how_.within.poison_after > 0
                  && crashes >= how_.within.poison_after;
  auto again = !poisoned && !abandoned_ && world_.tasks[task].repeatable
               && crashes <= how_.within.retries;
  require(life.known == again,
          "what has crashed runs again as often as it may");
}

void dispatcher_witness::returned(std::size_t task) {
  auto before = books();
  auto& life = tasks_[task];
  auto matters = life.known && life.on && !life.begun;
  if (matters) {
    auto& from = workers_[*life.on];
    if (!life.recalled)
      from.out = from.dead = true;
  }
  world_.pool.returned(world_.tasks[task], world_.now);
  if (!matters)
    return change_nothing(before);
  take_from_mailbox(task);
  read_decisions();
}

void dispatcher_witness::cancelled(std::size_t task, errc why) {
  auto before = books();
  auto& life = tasks_[task];
  auto matters = life.known && !life.settled;
  life.unwanted = life.unwanted || matters;
  world_.pool.cancelled(world_.tasks[task], why, world_.now);
  if (!matters)
    return change_nothing(before);
  read_decisions();
  require(life.settled || life.recalled,
          "what nobody wants is settled or recalled");
  require(life.known == life.on.has_value(),
          "what nobody wants stays in a mailbox only");
}

// -- facts about the world ----------------------------------------------------

void dispatcher_witness::ticked() {
  told_time_ = world_.now;
  world_.pool.ticked(world_.now);
  read_decisions();
  require(world_.pool.next_tick() > world_.now, "no tick is due in the past");
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& life = tasks_[i];
    if (life.known && !life.settled && world_.tasks[i].deadline <= world_.now)
      require(life.on && !life.begun && life.recalled,
              "after its deadline a task is settled or recalled");
  }
}

void dispatcher_witness::closed(errc why) {
  auto before = books();
  closed_ = true;
  world_.pool.closed(why);
  change_nothing(before);
}

void dispatcher_witness::deserted(errc why) {
  world_.pool.deserted(why, world_.now);
  read_decisions();
  require(books().waiting == 0, "nothing waits in a deserted pool");
}

void dispatcher_witness::abandoned(errc why) {
  closed_ = abandoned_ = true;
  world_.pool.abandoned(why, world_.now);
  read_decisions();
}

void dispatcher_witness::dispatched() {
  note_bindings();
  told_time_ = world_.now;
  auto accepted = books().accepted;
  auto steals = world_.pool.steals();
  if (stealing_ != nullptr)
    stealing_->dispatches();
  world_.pool.dispatch(world_.now);
  read_decisions();
  require(accepted == books().accepted, "a dispatch accepts nothing");
  check_bindings();
  check_nobody_waits_in_vain();
  check_order_of_sends();
  if (stealing_ != nullptr)
    check_moves(steals);
  check_exact_tick();
}

// -- what came of it ----------------------------------------------------------

void dispatcher_witness::change_nothing(const ledger& before) const {
  require(as_tuple(before) == as_tuple(books()),
          "what is not known, or not possible, changes no count");
  require(world_.pool.decisions().empty(),
          "what is not known, or not possible, causes no decision");
}

void dispatcher_witness::take_from_mailbox(std::size_t task) {
  auto& life = tasks_[task];
  auto& from = workers_[*life.on];
  --from.in_mailbox;
  from.hanging -= life.hangs ? 1 : 0;
  life.on.reset();
  life.seats = 0;
  life.begun = life.recalled = life.hangs = false;
}

void dispatcher_witness::read_decisions() {
  made_.clear();
  std::swap(made_, world_.pool.decisions());
  for (const auto& made : made_)
    read(made);
  if (stealing_ != nullptr)
    note_idle_workers();
  check();
}

void dispatcher_witness::read(const decision& made) {
  if (made.is == decision::kind::dismiss)
    return dismissed(known_index_in(world_.workers, made.worker));
  auto what = known_index_in(world_.tasks, made.task);
  auto& life = tasks_[what];
  require(life.known, "decisions are about tasks that are known");
  if (made.is == decision::kind::send) {
    sent(what, known_index_in(world_.workers, made.worker));
  } else if (made.is == decision::kind::recall) {
    require(life.on == known_index_in(world_.workers, made.worker)
              && !life.begun,
            "only what is in a mailbox is recalled");
    require(!life.recalled, "nothing is recalled twice");
    life.recalled = true;
  } else if (made.is == decision::kind::settle) {
    settled(what, made);
  } else {
    require(life.settled, "what is released is settled");
    require(!life.on, "what is in a mailbox is not released");
    life.known = false;
  }
}

void dispatcher_witness::sent(std::size_t task, std::size_t one) {
  auto& life = tasks_[task];
  auto& to = workers_[one];
  require(!life.settled && !life.on,
          "what is sent is neither settled nor sent");
  require(world_.tasks[task].deadline > world_.now,
          "nothing is sent after its deadline");
  require(to.known && !to.out, "only workers that serve are sent something");
  require(to.hanging == 0, "a worker that hangs is sent nothing");
  require(!to.pauses, "a worker that pauses is sent nothing");
  require(!world_.workers[one].rest_hook.is_linked(),
          "a worker that rests is sent nothing");
  require(how_.by_flows || to.in_mailbox < world_.workers[one].window,
          "no more than the window is in a mailbox");
  check_place(task, one);
  check_keys(task, one);
  if (how_.by_flows)
    take_seats(task, one);
  life.on = one;
  ++to.in_mailbox;
  sends_.emplace_back(world_.tasks[task].number,
                      static_cast<std::uint64_t>(world_.workers[one].number));
}

void dispatcher_witness::settled(std::size_t one, const decision& made) {
  auto& life = tasks_[one];
  require(!life.settled, "nothing is settled twice");
  life.settled = true;
  life.how = made.how;
  if (made.how == outcome::cancelled)
    check_reason(one, made.why);
  if (made.why == errc::worker_down)
    require(made.how == outcome::failed && is_lost(one),
            "a task fails for want of its workers only if all have left");
  ++number_of(made.how);
  require((made.how == outcome::completed) == (made.why == errc{}),
          "what does not complete has a reason");
  if (life.begun && made.why == errc::deadline_exceeded) {
    life.hangs = true;
    ++workers_[*life.on].hanging;
  }
}

/// Whether all workers that may run the task have left.
bool dispatcher_witness::is_lost(std::size_t task) const {
  const auto* where = world_.tasks[task].where;
  if (where == nullptr || where->loose || where->only.empty())
    return false;
  for (auto number : where->only) {
    if (static_cast<std::uint64_t>(number) >= joined_)
      return false; // may come yet
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (world_.workers[i].number == number && workers_[i].known
          && !workers_[i].out)
        return false;
  }
  return true;
}

void dispatcher_witness::dismissed(std::size_t task) {
  auto& life = workers_[task];
  require(life.known && life.out, "only workers that go are dismissed, once");
  require(life.in_mailbox == 0, "a worker with tasks is not dismissed");
  life.known = false;
}

} // namespace test
