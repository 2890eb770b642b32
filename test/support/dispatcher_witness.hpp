#pragma once

#include "support/placing_laws.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace test {

inline auto all_counts_of(const libpool::ledger& b) {
  return std::tie(b.accepted, b.refused, b.waiting, b.assigned, b.sent,
                  b.running, b.completed, b.failed, b.cancelled);
}

inline auto settled_counts_of(const libpool::ledger& b) {
  return std::tie(b.refused, b.completed, b.failed, b.cancelled);
}

/// Hears all facts, reads all decisions, and compares its conclusions with the
/// state of the dispatcher of a world. Facts are heard before their
/// consequences are checked.
class dispatcher_witness final : public placing_laws {
public:
  using placing_laws::placing_laws;

  // -- facts about workers ----------------------------------------------------

  void joined(std::size_t worker) {
    auto& life = workers_[worker];
    if (!life.known) {
      life = {};
      life.known = true;
      joined_ = std::max(
        joined_, static_cast<std::uint64_t>(world_.workers[worker].number) + 1);
    }
    tell_of(worker, false, &libpool::dispatcher::joined);
  }

  void retired(std::size_t worker) {
    auto& life = workers_[worker];
    auto matters = life.known && !life.out;
    life.out = life.known;
    tell_of(worker, matters, &libpool::dispatcher::retired);
  }

  void left(std::size_t worker) {
    auto& life = workers_[worker];
    auto matters = life.known && !life.dead;
    life.out = life.dead = life.known;
    tell_of(worker, matters, &libpool::dispatcher::left);
  }

  void paused(std::size_t worker) {
    workers_[worker].pauses = workers_[worker].known;
    tell_of(worker, false, &libpool::dispatcher::paused);
  }

  void resumed(std::size_t worker) {
    workers_[worker].pauses = false;
    tell_of(worker, false, &libpool::dispatcher::resumed);
  }

  // -- pauses and limits ------------------------------------------------------

  void suspended(std::size_t worker) {
    auto& life = workers_[worker];
    life.suspended = life.suspended || (life.known && !life.out);
    tell_change(
      [&] { world_.pool.suspended(world_.workers[worker], world_.now); });
  }

  void reinstated(std::size_t worker) {
    workers_[worker].suspended = false;
    tell_change(
      [&] { world_.pool.reinstated(world_.workers[worker], world_.now); });
  }

  void suspended() {
    suspended_ = true;
    tell_change([&] { world_.pool.suspended(world_.now); });
  }

  void reinstated() {
    suspended_ = false;
    tell_change([&] { world_.pool.reinstated(world_.now); });
  }

  void suspended(const std::string& flow) {
    if (!world_.pool.needs().may_throttle)
      return;
    paused_.insert(flow);
    tell_change([&] { world_.pool.suspended(flow, world_.now); });
  }

  void reinstated(const std::string& flow) {
    paused_.erase(flow);
    tell_change([&] { world_.pool.reinstated(flow, world_.now); });
  }

  void all_reinstated() {
    suspended_ = false;
    paused_.clear();
    for (auto& life : workers_)
      life.suspended = false;
    auto lift_zero = [](libpool::throttle& limit) {
      if (limit.most_running == std::size_t{0})
        limit.most_running.reset();
    };
    lift_zero(throttles_.of_all);
    lift_zero(throttles_.of_each_flow);
    for (auto& [name, limit] : throttles_.of_flows)
      lift_zero(limit);
    tell_change([&] { world_.pool.all_reinstated(world_.now); });
  }

  void limited(const libpool::throttles& within) {
    if (!world_.pool.needs().may_throttle)
      return;
    throttles_ = within;
    begins_.clear(); // the law of rates holds since the last change
    tell_change([&] { world_.pool.limited(within, world_.now); });
  }

  // -- facts about tasks ------------------------------------------------------

  void submitted(std::size_t task) {
    auto before = books();
    auto was_unsent = unsent();
    auto is_new = !tasks_[task].known;
    if (is_new) {
      tasks_[task] = {};
      tasks_[task].known = true;
      tasks_[task].submitted = world_.now;
      if (const auto* asker = world_.tasks[task].notes().asker;
          asker != nullptr)
        tasks_[task].asker = known_index_in(world_.tasks, asker);
      if (const auto* asking = world_.tasks[task].notes().asking;
          asking != nullptr)
        tasks_[task].asking = known_index_in(world_.workers, asking);
    }
    note_bindings();
    auto were_of_flow = waiting_of_flow(task) + due_of_flow(task);
    auto is_too_wide = is_wider_than_all(task);
    asks_ = is_new && is_asked_for(world_.tasks[task]);
    timed_out_ = false;
    world_.pool.submitted(world_.tasks[task], world_.now);
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
      require(
        is_too_wide == (refusal_of(task) == errc::too_wide),
        "a task wider than the pool is refused for that, if limits say so");
    if (!is_accepted && !closed_ && !is_too_wide && !timed_out_ && !asks_)
      check_refusal(task);
    require(tasks_[task].known == is_accepted,
            "a refused task is released, an accepted one is not");
    if (is_accepted) {
      check_overtakes(task);
      check_accepted(task, was_unsent, were_of_flow);
    }
    asks_ = false;
  }

  void refused(std::size_t task, errc why) {
    auto is_new = !tasks_[task].known;
    if (is_new) {
      tasks_[task] = {};
      tasks_[task].known = true;
    }
    tell(is_new, &libpool::dispatcher::refused, world_.tasks[task], why);
    require(tasks_[task].known == !is_new,
            "a refused task is released at once");
  }

  void started(std::size_t task) {
    auto& life = tasks_[task];
    auto matters = life.known && life.on && !life.begun && !life.follows;
    life.begun = life.begun || matters;
    tell(matters, &libpool::dispatcher::started, world_.tasks[task],
         world_.now);
  }

  void finished(std::size_t task, ending how) {
    auto before = books();
    auto& life = tasks_[task];
    auto matters = life.known && life.on && !life.follows;
    auto was_settled = life.settled;
    auto served = order_.served();
    world_.pool.finished(world_.tasks[task], how, world_.now);
    if (!matters)
      return change_nothing(before);
    take_from_mailbox(task);
    if (was_settled)
      require(settled_counts_of(before) == settled_counts_of(books()),
              "the end of a settled task changes no count of settled ones");
    read_decisions();
    for (const auto& made : made_)
      require(made.is != decision_kind::recall,
              "no task is recalled because another one has ended");
    require(!how_.by_flows
              || order_.served() - served == (life.known ? 0U : 1U),
            "a task of a flow is served once, when it is not tried again");
    if (life.known)
      life.not_before = world_.tasks[task].notes().not_before == never
                          ? world_.now
                          : world_.tasks[task].notes().not_before;
    if (how == ending::crashed
        && !(life.settled && life.how == outcome::cancelled))
      return end_crashed(task);
    require(!life.known, "the end of a task releases it");
    require(life.how == outcome::completed || life.how == outcome::cancelled,
            "a task that completes does not fail");
  }

  /// Its handler has ended with an error, after which it may run again.
  void answered_with_error(std::size_t task, duration wait) {
    auto before = books();
    auto& life = tasks_[task];
    auto& real = world_.tasks[task];
    using verdict = libpool::retry_verdict;
    auto is_permitted = may_be_retried(task);
    auto served = order_.served();
    auto made = world_.pool.answered_with_error(real, wait, world_.now,
                                                world_.now);
    require(is_permitted || made == verdict::no,
            "only a task that may run again is retried");
    require(served == order_.served(), "a task that is retried is not served");
    retries_refused_ += made == verdict::over_budget ? 1U : 0U;
    require(world_.pool.record().retries_refused == retries_refused_,
            "retries that the budget refuses are counted");
    if (made != verdict::yes)
      return change_nothing(before);
    ++life.errors;
    life.not_before =
      real.notes().not_before == never ? world_.now : real.notes().not_before;
    require(wait == duration{0} || life.not_before == world_.now + wait,
            "the time that an error names goes before the back-off");
    require(life.not_before < real.deadline,
            "no task waits for a retry after its deadline");
    take_from_mailbox(task);
    read_decisions();
    require(life.known && !life.settled,
            "a task that is retried is not settled");
  }

  void returned(std::size_t task) {
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
    forget_begin(task);
    take_from_mailbox(task);
    read_decisions();
  }

  void cancelled(std::size_t task, errc why) {
    auto before = books();
    auto& life = tasks_[task];
    auto matters = life.known && !life.settled;
    life.unwanted = life.unwanted || matters;
    world_.pool.cancelled(world_.tasks[task], why, world_.now);
    if (!matters)
      return change_nothing(before);
    read_decisions();
    require(life.settled || life.recalled,
            "a cancelled task is settled or recalled");
    require(life.known == life.on.has_value(),
            "a cancelled task stays in a mailbox only");
  }

  /// Its worker keeps a task that was cancelled. A deadline that has passed
  /// would not pass again, and a worker that goes or hangs keeps nothing.
  void spared(std::size_t task) {
    auto before = books();
    auto& life = tasks_[task];
    if (world_.tasks[task].deadline <= world_.now
        || (life.on && has_to_return(task)))
      return;
    world_.pool.spared(world_.tasks[task]);
    if (life.known && life.on && !life.begun)
      life.recalled = life.unwanted = false;
    change_nothing(before);
  }

  /// Its worker keeps a task that it was asked to give back. A worker that
  /// goes, hangs or is paused keeps nothing.
  void kept(std::size_t task) {
    auto before = books();
    auto& life = tasks_[task];
    if (life.on && has_to_return(task))
      return;
    world_.pool.kept(world_.tasks[task]);
    if (life.known && life.on && !life.begun
        && world_.tasks[task].cancel_reason == errc{})
      life.recalled = false;
    change_nothing(before);
  }

  // -- facts about the world --------------------------------------------------

  void ticked() {
    world_.pool.ticked(world_.now);
    read_decisions();
    require(world_.pool.next_tick() > world_.now, "no tick is due in the past");
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto& life = tasks_[i];
      if (life.known && !life.settled && world_.tasks[i].deadline <= world_.now)
        require(life.on && !life.begun && life.recalled,
                "after its deadline a task is settled or recalled");
      require(!life.known || !life.settled || !life.on || life.hangs
                || stuck_from(i) > world_.now,
              "a worker whose cancelled task runs on for too long hangs");
      require(!life.known || life.settled || !life.begun
                || after_limit(world_.tasks[i].started) > world_.now,
              "no task runs on after the time limit without being settled");
    }
  }

  void closed(errc why) {
    closed_ = true;
    tell(false, &libpool::dispatcher::closed, why);
  }

  void deserted(errc why) {
    tell(true, &libpool::dispatcher::deserted, why, world_.now);
    require(books().waiting == 0, "no task waits in a deserted pool");
  }

  void abandoned(errc why) {
    closed_ = abandoned_ = true;
    tell(true, &libpool::dispatcher::abandoned, why, world_.now);
  }

  void dispatched() {
    do {
      takes_back_ = false;
      dispatched_once();
    } while (std::exchange(has_looked_, false) || takes_back_);
    check_followers();
    check_exact_tick();
    for (std::size_t i = 0; i < workers_.size(); ++i)
      require(world_.workers[i].waits == waits(i),
              "a worker waits if all its tasks do, and it has no room");
    break_cycles();
  }

private:
  /// Tasks that are looked at may have ended their workers' turns: then the
  /// owner dispatches again.
  void dispatched_once() {
    has_looked_ = false;
    note_bindings();
    auto accepted = books().accepted;
    world_.pool.dispatch(world_.now);
    read_decisions();
    require(accepted == books().accepted, "a dispatch accepts nothing");
    if (has_looked_ || takes_back_)
      return;
    check_bindings();
    check_no_task_waits_in_vain();
    check_order_of_sends();
    if (stealing_ != nullptr)
      check_moves();
  }

  /// Tasks wait behind others only if no worker could have them at once, not
  /// for long, and behind no task of a lower level.
  void check_followers() const {
    auto is_idle = false;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      is_idle = is_idle || has_room(i);
    for (const auto& life : tasks_) {
      if (!life.on || !life.follows || life.recalled)
        continue;
      require(!is_idle || how_.when == assignment::eager,
              "no task waits behind another one while a worker is idle");
      require(world_.workers[*life.on].overdue_at > world_.now,
              "no task waits behind another one for long");
    }
  }

  /// Fails tasks that no worker will ever run, since their workers wait.
  void break_cycles() {
    while (auto* found = world_.pool.waits().in_cycle()) {
      auto task = known_index_in(world_.tasks, found);
      require(is_in_cycle(task), "a task in a cycle has no other worker");
      world_.pool.failed(*found, errc::cycle, world_.now);
      read_decisions();
      require(!tasks_[task].known, "a task in a cycle is settled");
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      require(!is_in_cycle(i), "each task in a cycle is found");
  }

  /// The handler of the task has ended, and waits for no other task.
  void forget_askers(std::size_t task) {
    for (auto& each : tasks_)
      if (each.asker == task)
        each.asker.reset();
  }

  /// A fact that does not matter changes nothing.
  template <class... Parameters, class... Arguments>
  void tell(bool matters, void (libpool::dispatcher::*fact)(Parameters...),
            Arguments&&... arguments) {
    auto before = books();
    (world_.pool.*fact)(arguments...);
    if (!matters)
      change_nothing(before);
    read_decisions();
  }

  /// A pause or a limit settles nothing, and sends nothing at once. A task that
  /// has to wait again fails if the pool was abandoned.
  template <class F>
  void tell_change(F fact) {
    auto before = books();
    fact();
    require(abandoned_
              || settled_counts_of(before) == settled_counts_of(books()),
            "a pause or a limit settles no task");
    for (const auto& made : world_.pool.decisions())
      require(abandoned_ || made.is == decision_kind::recall,
              "a pause or a limit only takes tasks back");
    read_decisions();
  }

  void tell_of(std::size_t worker, bool matters,
               void (libpool::dispatcher::*fact)(libpool::worker&, instant)) {
    tell(matters, fact, world_.workers[worker], world_.now);
  }

  /// A task that is accepted though there is no room for it is sent next.
  void check_accepted(std::size_t task, std::uint64_t was_unsent,
                      std::size_t were_of_flow) {
    auto most = std::max<std::uint64_t>(how_.within.capacity, was_unsent);
    auto most_of_flow = std::max(how_.queue_limit.value_or(tasks_.size()),
                                 were_of_flow);
    auto is_over = [&] {
      return unsent() - tasks_to_come() > most
             || (how_.parts_flows && waiting_of_flow(task) > most_of_flow);
    };
    if (!is_over())
      return;
    dispatched();
    require(!is_over() || timed_out_,
            "a task that a full pool accepts is sent by the next dispatch");
  }

  /// No task of a lower level waits behind others where it could keep the new
  /// task from a worker.
  void check_overtakes(std::size_t task) const {
    const auto& it = world_.tasks[task];
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      require(!tasks_[task].known || !tasks_[i].follows || tasks_[i].recalled
                || (it.on != nullptr && it.on != world_.tasks[i].on)
                || (how_.by_flows ? world_.tasks[i].urgent >= it.urgent
                                  : world_.tasks[i].rank >= it.rank),
              "a new task goes before tasks of a lower level that wait behind "
              "others");
  }

  /// Whether the task may be tried again after an error, if there is time.
  bool may_be_retried(std::size_t task) const {
    const auto& life = tasks_[task];
    return life.known && life.on && !life.follows && !life.settled
           && !life.unwanted && !abandoned_ && how_.within.backoff
           && world_.tasks[task].repeatable
           && world_.tasks[task].deadline > world_.now
           && life.errors < how_.within.backoff->times;
  }

  void end_crashed(std::size_t task) {
    auto& life = tasks_[task];
    auto crashes = ++life.crashes;
    auto poisoned = how_.within.poison_after > 0
                    && crashes >= how_.within.poison_after;
    auto again = !poisoned && !abandoned_ && world_.tasks[task].repeatable
                 && crashes <= how_.within.retries;
    if (how_.within.backoff && world_.tasks[task].deadline != never)
      return require(!life.known || again,
                     "a task that has crashed runs no more often than it may");
    require(life.known == again,
            "a task that has crashed runs again as often as it may");
  }

  void change_nothing(const libpool::ledger& before) const {
    require(all_counts_of(before) == all_counts_of(books()),
            "an impossible fact changes no count");
    require(world_.pool.decisions().empty(),
            "an impossible fact causes no decision");
  }

  void take_from_mailbox(std::size_t task) {
    auto& life = tasks_[task];
    auto& from = workers_[*life.on];
    --from.in_mailbox;
    from.tasks.erase(std::find(from.tasks.begin(), from.tasks.end(), task));
    if (!life.follows && !from.tasks.empty())
      tasks_[from.tasks.front()].follows = false;
    from.hanging -= life.hangs ? 1 : 0;
    forget_askers(task);
    life.on.reset();
    life.seats = 0;
    life.begun = life.recalled = life.hangs = life.follows = false;
  }

  // -- decisions --------------------------------------------------------------

  void read_decisions() {
    made_.clear();
    note_hanging(); // before tasks were sent
    while (!world_.pool.decisions().empty()) {
      auto first = made_.size();
      auto& news = world_.pool.decisions();
      made_.insert(made_.end(), news.begin(), news.end());
      news.clear();
      for (auto i = first; i < made_.size(); ++i)
        read(made_[i]);
      for (auto task : std::exchange(looks_, {}))
        look_at(task);
    }
    note_hanging();
    if (stealing_ != nullptr)
      note_idle_workers();
    check();
  }

  /// Cancelled tasks whose handlers run past their deadlines or the time limit
  /// make their workers hang, without a decision.
  void note_hanging() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      auto& life = tasks_[i];
      if (!life.known || !life.on || !life.settled || life.hangs
          || !hangs(world_.tasks[i]))
        continue;
      require(stuck_from(i) <= world_.now,
              "a worker hangs only after a deadline or the time limit");
      life.hangs = timed_out_ = true;
      ++workers_[*life.on].hanging;
    }
  }

  void read(const libpool::decision& made) {

    if (made.is == decision_kind::dismiss)
      return dismissed(known_index_in(world_.workers, made.worker));
    auto task = known_index_in(world_.tasks, made.task);
    auto& life = tasks_[task];
    require(life.known, "decisions are about tasks that are known");
    if (made.is == decision_kind::look) {
      require(how_.within.time_limit && life.check_at <= world_.now,
              "a task is looked at when it may have reached the time limit");
      looks_.push_back(task);
    } else if (made.is == decision_kind::send) {
      sent_together(task, known_index_in(world_.workers, made.worker));
    } else if (made.is == decision_kind::recall) {
      require(life.on == known_index_in(world_.workers, made.worker)
                && !life.begun,
              "only a task in a mailbox is recalled");
      require(!life.recalled, "no task is recalled twice");
      life.recalled = true;
      takes_back_ = takes_back_ || life.follows;
    } else if (made.is == decision_kind::give_up) {
      require(life.on && life.begun && life.settled,
              "only a handler that runs on is given up");
    } else {
      if (made.is != decision_kind::release)
        settled(task, made);
      if (made.is != decision_kind::settle)
        released(task);
    }
  }

  void released(std::size_t task) {
    auto& life = tasks_[task];
    require(life.settled, "a released task is settled");
    require(!life.on, "a task in a mailbox is not released");
    life.known = false;
  }

  /// Tells how far the worker is.
  void look_at(std::size_t task) {
    auto& life = tasks_[task];
    if (!life.known || !life.on || life.settled)
      return; // meanwhile
    auto started = life.begun ? world_.tasks[task].started : never;
    life.check_at = after_limit(life.begun ? started : world_.now);
    has_looked_ = true;
    world_.pool.looked_at(world_.tasks[task], started, world_.now);
  }

  /// With the tasks that follow it. A task that followed others is sent again
  /// if these came back without having begun.
  void sent_together(std::size_t task, std::size_t worker) {
    if (tasks_[task].on == worker)
      return require(!tasks_[task].follows && !tasks_[task].begun,
                     "a task is sent again when its turn has come");
    sent(task, worker, false);
    const auto& all = world_.workers[worker].mailbox;
    for (auto i = std::next(all.iterator_to(world_.tasks[task]));
         i != all.end() && i->follows; ++i)
      sent(known_index_in(world_.tasks, &*i), worker, true);
  }

  /// Tasks are sent together only where one is handled after the other.
  void check_follower(std::size_t task, std::size_t worker) const {
    const auto& to = world_.workers[worker];
    require(to.takes_leases && (how_.by_flows ? to.seats : to.window) == 1,
            "only workers that handle one task at a time get several");
    require(workers_[worker].in_mailbox < how_.within.leases.most,
            "no more tasks than the limit are sent together");
    require(world_.tasks[task].deadline > to.leased_until,
            "the turn of a task comes before its deadline");
    require(!is_asked_for(world_.tasks[task]),
            "a task that a handler waits for follows no other one");
  }

  void sent(std::size_t task, std::size_t worker, bool follows) {
    auto& life = tasks_[task];
    auto& to = workers_[worker];
    require(!world_.workers[worker].waits,
            "a worker that waits for its own pool is sent no task");
    life.check_at = after_limit(world_.now);
    require(!life.settled && !life.on,
            "a task that is sent is neither settled nor sent");
    require(world_.tasks[task].deadline > world_.now,
            "no task is sent after its deadline");
    require(life.not_before <= world_.now,
            "no task is retried before its time");
    require(to.known && !to.out, "only workers that serve are sent tasks");
    require(to.hanging == 0, "a worker that hangs is sent no task");
    require(!to.pauses, "a worker that pauses is sent no task");
    require(!to.suspended && !suspended_ && !is_paused(task),
            "nothing that is paused is sent, or sent a task");
    check_limits_of_send(task);
    require(!world_.workers[worker].rest_hook.is_linked(),
            "a worker that rests is sent no task");
    if (follows)
      check_follower(task, worker);
    else
      require(how_.by_flows || to.in_mailbox < world_.workers[worker].window,
              "no more tasks than the window are in a mailbox");
    check_place(task, worker);
    check_keys(task, worker);
    if (how_.by_flows)
      take_seats(task, worker, follows);
    life.on = worker;
    life.follows = follows;
    ++to.in_mailbox;
    to.tasks.push_back(task);
    sends_.emplace_back(
      world_.tasks[task].number,
      static_cast<std::uint64_t>(world_.workers[worker].number));
  }

  /// A task that comes back before its handler has begun took no token.
  void forget_begin(std::size_t task) {
    auto i = std::find_if(begins_.rbegin(), begins_.rend(),
                          [&](const begin& each) { return each.task == task; });
    if (i != begins_.rend())
      begins_.erase(std::next(i).base());
  }

  /// No more tasks than the limits allow are at workers, or have begun in any
  /// span of time that ends now.
  void check_limits_of_send(std::size_t task) {
    begins_.push_back({world_.now, task, world_.tasks[task].flow.key().hash(),
                       is_retry(world_.tasks[task])});
    const auto& of_flow = limits_of(task);
    require(!of_flow.most_running || at_workers(task) <= *of_flow.most_running,
            "no flow has more tasks at workers than its limit");
    require(!throttles_.of_all.most_running
              || at_workers(std::nullopt) <= *throttles_.of_all.most_running,
            "no more tasks than the limit are at workers");
    check_rate(of_flow, task);
    check_rate(throttles_.of_all, std::nullopt);
  }

  void check_rate(const libpool::throttle& limit,
                  std::optional<std::size_t> of) const {
    if (!limit.most_begun)
      return;
    auto begun = 0.0;
    for (auto i = begins_.rbegin(); i != begins_.rend(); ++i) {
      if ((of && i->flow != world_.tasks[*of].flow.key().hash())
          || (i->is_retry && !limit.most_begun->counts_retries))
        continue;
      begun += 1;
      std::chrono::duration<double> span = world_.now - i->at;
      require(begun <= static_cast<double>(limit.most_begun->burst)
                         + span.count() * limit.most_begun->per_second + 1e-6,
              "no rate is exceeded by more than its burst");
    }
  }

  void settled(std::size_t task, const libpool::decision& made) {
    auto& life = tasks_[task];
    require(!life.settled, "no task is settled twice");
    life.settled = true;
    life.how = made.how;
    if (made.how == outcome::cancelled)
      check_reason(task, made.why);
    if (made.why == errc::worker_down)
      require(made.how == outcome::failed && is_lost(task),
              "a task fails for want of its workers only if all have left");
    ++number_of(made.how);
    require((made.how == outcome::completed) == (made.why == errc{}),
            "a task that does not complete has a reason");
    if (life.begun
        && (made.why == errc::deadline_exceeded
            || made.why == errc::time_limit)) {
      timed_out_ = true;
      life.hangs = true;
      ++workers_[*life.on].hanging;
    }
  }

  std::vector<std::size_t> looks_;
  /// Whether a worker was found to hang, so that it takes nothing more.
  bool timed_out_ = false;
  bool has_looked_ = false;
  /// Whether tasks that follow others are to come back.
  bool takes_back_ = false;

  void dismissed(std::size_t worker) {
    auto& life = workers_[worker];
    require(life.known && life.out, "only workers that go are dismissed, once");
    require(life.in_mailbox == 0, "a worker with tasks is not dismissed");
    life.known = false;
    for (auto& each : tasks_)
      if (each.asking == worker)
        each.asking.reset();
  }
};

} // namespace test
