#pragma once

#include "support/witness_state.hpp"

#include <algorithm>
#include <cstddef>

namespace test {

inline bool is_linked(const libpool::task& task) {
  constexpr auto nowhere = libpool::task::in_no_heap;
  return task.list_hook.is_linked() || task.line_slot != nowhere
         || task.due_slot != nowhere || task.age_slot != nowhere;
}

inline bool is_linked(const libpool::worker& worker) {
  return worker.placement_hook.is_linked() || worker.rest_hook.is_linked()
         || worker.ready_hook.is_linked() || worker.idle
         || worker.lease_hook.is_linked() || worker.member_hook.is_linked()
         || worker.room_hook.is_linked()
         || worker.heap_slot != libpool::worker::in_no_heap;
}

/// The laws that hold after every fact.
class state_laws : public witness_state {
public:
  using witness_state::witness_state;

  void check_the_end() const {
    require(books().open() == 0, "in the end no task is open");
    require(world_.pool.next_tick() == libpool::never,
            "in the end no tick is due");
    for (const auto& life : tasks_)
      require(!life.known, "in the end every task is released");
    for (const auto& life : workers_)
      require(!life.known, "in the end every worker is dismissed");
    for (const auto& where : world_.restrictions)
      require(where.held.empty(),
              "in the end no task waits for particular workers");
    for (const auto& worker : world_.workers)
      require(worker.booked == nullptr,
              "in the end no record of a worker is left");
    require(order_.is_empty(), "in the end the order has no task");
    require(order_.choose(world_.now) == nullptr,
            "in the end the order chooses no task");
  }

protected:
  void check() const {
    require(placement_.complaint().empty(), placement_.complaint().c_str());
    require(order_.complaint().empty(), order_.complaint().c_str());
    if (stealing_ != nullptr)
      require(stealing_->complaint().empty(), stealing_->complaint().c_str());
    check_books();
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      check_task(i);
    for (std::size_t i = 0; i < workers_.size(); ++i)
      check_worker(i);
    check_next_tick();
    check_is_busy();
    check_seats();
    check_limits();
  }

  /// A worker is idle since the moment at which that is seen first.
  void note_idle_workers() {
    for (const auto& worker : world_.workers)
      if (is_idle(worker) && !suspended_)
        idle_since_.emplace(&worker, world_.now);
      else
        idle_since_.erase(&worker);
    require(idle_since_ == stealing_->idle_since(),
            "the stealing is told which workers are idle, and since when");
  }

  void check_reason(std::size_t task, libpool::errc why) const {
    if (why == libpool::errc::client_gone)
      require(tasks_[task].unwanted,
              "only a task that its client gave up is cancelled for that");
    else if (why == libpool::errc::deadline_exceeded)
      require(world_.tasks[task].deadline <= world_.now,
              "no task is cancelled before its deadline");
    else if (why == libpool::errc::time_limit)
      require(tasks_[task].begun
                && world_.now - world_.tasks[task].started
                     >= *how_.within.time_limit,
              "no task is cancelled before it has reached the time limit");
    else if (why == libpool::errc::hopeless)
      require(!tasks_[task].on && is_hopeless(task),
              "only a task that would end too late is hopeless");
    else
      for (std::size_t i = 0; i < tasks_.size(); ++i)
        require(i == task || !is_unsent(i)
                  || world_.tasks[i].number >= world_.tasks[task].number,
                "only the oldest is dropped");
  }

  /// Whether the task, which is in a mailbox and has not begun, has to come
  /// back.
  bool has_to_return(std::size_t task) const {
    const auto& on = workers_[*tasks_[task].on];
    return on.out || on.hanging > 0 || on.suspended || suspended_
           || is_paused(task);
  }

private:
  /// What the gates know, and why they are closed.
  void check_limits() const {
    const auto& gates = world_.pool.gates();
    if (!gates.is_on())
      return;
    std::size_t held_back = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto& it = world_.tasks[i];
      require(!is_delayed(i) || it.is == libpool::task::condition::waiting,
              "only tasks that wait are delayed");
      if (!tasks_[i].known)
        continue;
      const auto& limits = limits_of(i);
      auto has_place = !is_paused(i)
                       && (!limits.most_running
                           || at_workers(i) < *limits.most_running);
      require(it.notes().gate == nullptr
                ? has_place && !limits.most_begun
                : it.notes().gate->has_place() == has_place
                    && it.notes().gate->running == at_workers(i),
              "a gate is closed by a pause, a limit or a rate only");
      require(!it.parked || it.is == libpool::task::condition::waiting,
              "only tasks that wait are parked");
      auto is_open = has_place
                     && (it.notes().gate == nullptr
                         || it.notes().gate->tokens.opens_at() <= world_.now);
      auto waits = it.is == libpool::task::condition::waiting;
      held_back += waits && !is_open ? 1 : 0;
    }
    require(gates.held_back(world_.now) == held_back,
            "waiting tasks of paused flows, and of flows at their limits, are "
            "counted");
  }

  void check_books() const {
    require(books().balances(), "the books balance");
    auto tasks_in = [&](libpool::task::condition condition) {
      return static_cast<std::uint64_t>(std::count_if(
        world_.tasks.begin(), world_.tasks.end(),
        [=](const libpool::task& task) { return task.is == condition; }));
    };
    require(books().waiting == tasks_in(libpool::task::condition::waiting)
              && books().assigned
                   == tasks_in(libpool::task::condition::assigned)
              && books().sent == tasks_in(libpool::task::condition::sent)
              && books().running == tasks_in(libpool::task::condition::running),
            "the books count the tasks in each condition");
    require(books().accepted == accepted_, "the books count accepted tasks");
    require(books().refused == number_of(libpool::outcome::refused)
              && books().completed == number_of(libpool::outcome::completed)
              && books().failed == number_of(libpool::outcome::failed)
              && books().cancelled == number_of(libpool::outcome::cancelled),
            "the books count each settlement by its outcome");
    require(world_.pool.tasks().overdue()
              == tasks_in(libpool::task::condition::overdue),
            "the pool counts the tasks that are overdue");
    check_record();
  }

  void check_record() const {
    const auto& record = world_.pool.record();
    require(record.refusals.sum() == books().refused,
            "each refusal is counted by its reason");
    require(record.errors.sum() == books().failed + books().cancelled,
            "each failure is counted by its reason");
    auto is_sum = [&](auto count) {
      auto left = record.all.*count;
      for (const auto& worker : world_.workers)
        left -= worker.record.*count;
      return left == decltype(left){};
    };
    using part = libpool::worker_record;
    require(is_sum(&part::completed) && is_sum(&part::failed)
              && is_sum(&part::busy) && is_sum(&part::waited)
              && is_sum(&part::stolen),
            "the record of the pool is the sum of its workers'");
    require(record.services.count() == record.waits.count(),
            "each handler that ends has waited");
    require(world_.pool.workers().busy()
              == static_cast<std::size_t>(std::count_if(
                world_.workers.begin(), world_.workers.end(),
                [](const libpool::worker& worker) {
                  return worker.is == libpool::worker::condition::serving
                         && worker.in_mailbox > 0;
                })),
            "a worker that serves is busy if something is in its mailbox");
    check_ages();
  }

  void check_ages() const {
    const libpool::task* oldest = nullptr;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (is_unsent(i)
          && (oldest == nullptr || world_.tasks[i].number < oldest->number))
        oldest = &world_.tasks[i];
    require(world_.pool.tasks().oldest_unsent() == oldest,
            "the oldest task of those that are not sent is known");
    auto in_mailboxes =
      std::count_if(tasks_.begin(), tasks_.end(),
                    [](const task_life& life) { return life.on; });
    require(world_.pool.tasks().sent().size()
              == static_cast<std::size_t>(in_mailboxes),
            "the tasks in mailboxes are known");
  }

  void check_task(std::size_t task) const {
    const auto& life = tasks_[task];
    auto is = world_.tasks[task].is;
    if (!life.known)
      require(is == libpool::task::condition::unknown
                && !is_linked(world_.tasks[task]),
              "a released task is forgotten");
    else if (!life.on)
      require(is == libpool::task::condition::waiting
                || is == libpool::task::condition::assigned,
              "a task in no mailbox waits");
    else if (!life.begun)
      require(is == libpool::task::condition::sent,
              "a task in a mailbox is sent");
    else
      require(is
                == (life.settled ? libpool::task::condition::overdue
                                 : libpool::task::condition::running),
              "a task that has begun runs");
    require(world_.tasks[task].follows == life.follows,
            "a task follows others until its turn comes");
    require((world_.tasks[task].on != nullptr)
              == (life.on || is == libpool::task::condition::assigned),
            "a task that waits, or is done, is of no worker");
    if (is_unsent(task))
      require(!abandoned_ || is == libpool::task::condition::assigned,
              "no task waits in an abandoned pool");
    if (life.on && !life.begun && workers_[*life.on].known
        && !workers_[*life.on].dead && has_to_return(task))
      require(life.recalled,
              "a task that may not begin where it is, is recalled");
  }

  void check_worker(std::size_t index) const {
    const auto& life = workers_[index];
    const auto& seen = world_.workers[index];
    require(
      seen.in_mailbox == life.in_mailbox
        && seen.mailbox.size() == life.in_mailbox,
      "a worker's mailbox has the tasks that were sent and have not ended");
    require(seen.in_flight == seen.in_mailbox + seen.deque.size(),
            "tasks in the deque and in the mailbox are in flight");
    for (const auto* task : seen.deque.all())
      require(task->on == &seen
                && task->is == libpool::task::condition::assigned,
              "a task in a deque is bound to that worker");
    for (const auto& task : seen.mailbox)
      require(task.on == &seen, "a task in a mailbox is of that worker");
    require(seen.hanging == life.hanging, "a worker hangs on overdue tasks");
    if (life.out || life.hanging > 0 || life.suspended)
      require(seen.deque.empty() && !seen.offered,
              "no task is bound to a worker that goes, hangs or is paused");
    if (life.pauses && how_.when == libpool::assignment::lazy)
      require(!seen.offered, "a worker that pauses is not asked for its turn");
    if (life.out && life.in_mailbox == 0)
      require(!life.known, "a worker that goes is dismissed when it is done");
    if (!life.known)
      require(seen.is == libpool::worker::condition::unknown
                && !is_linked(seen),
              "a worker that was dismissed is forgotten");
  }

  void check_next_tick() const {
    auto next = world_.pool.next_tick();
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].known && !tasks_[i].settled
          && world_.tasks[i].deadline > told_time_)
        require(next <= world_.tasks[i].deadline, "no deadline is passed over");
    for (const auto& worker : world_.workers)
      if (worker.rest_hook.is_linked())
        require(next <= worker.rests_until, "no end of a rest is passed over");
  }

  void check_is_busy() const {
    auto some_worker_has_room = false;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      some_worker_has_room = some_worker_has_room || has_room(i);
    auto is_under_way = std::any_of(
      tasks_.begin(), tasks_.end(),
      [](const task_life& life) { return life.on && !life.settled; });
    auto is_saturated = !some_worker_has_room && is_under_way;
    require(
      world_.pool.is_saturated() == is_saturated,
      "a pool is saturated while no worker has room and some task is to end");
    auto some_worker_pauses =
      std::any_of(world_.workers.begin(), world_.workers.end(),
                  [](const libpool::worker& worker) {
                    return worker.is == libpool::worker::condition::serving
                           && worker.pauses;
                  });
    auto waits_for_pause = !some_worker_has_room
                           && (some_worker_pauses || suspended_);
    require(world_.pool.is_busy_or_pauses()
              == (how_.when == libpool::assignment::lazy && !how_.by_priority
                  && !how_.by_flows && (is_saturated || waits_for_pause)),
            "a pool without room is busy or awaits the workers that pause, if "
            "tasks are bound lazily, as they come");
  }

  // -- seats ------------------------------------------------------------------

  void check_seats() const {
    for (std::size_t i = 0; i < workers_.size(); ++i)
      check_seats_of(i);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      check_queue_of(i);
    require(!world_.pool.needs().limits_flows || how_.by_flows,
            "only flows are limited one by one");
    if (how_.by_flows)
      check_flows();
  }

  void check_seats_of(std::size_t worker) const {
    const auto& seen = world_.workers[worker];
    if (how_.when == libpool::assignment::lazy)
      require(seen.offered == has_room(worker),
              "a worker that has room is offered, and no other");
    require(seen.room_hook.is_linked()
              == (how_.by_flows && seen.offered && some_have_seats_),
            "an offered worker is found by its room, if rooms may differ");
    if (!how_.by_flows)
      return require(seen.seats_taken == 0 && seen.seats_charged == 0,
                     "seats are taken only where they are counted");
    std::size_t charged = 0;
    for (const auto& life : tasks_)
      charged += life.on == worker && !life.follows ? life.seats : 0;
    require(seen.seats_taken <= seen.seats,
            "no worker runs more than its seats");
    require(seen.seats_taken == seats_taken(worker)
              && seen.seats_charged == charged,
            "the seats of a worker are taken by the tasks that it was sent");
    require(seen.seated == is_well(worker),
            "the pool counts the workers that are well");
  }

  void check_queue_of(std::size_t task) const {
    const auto& it = world_.tasks[task];
    auto is_somewhere =
      tasks_[task].known
      && (tasks_[task].on
          || (it.is == libpool::task::condition::waiting && !is_delayed(task)));
    require((it.queue != nullptr) == (how_.by_flows && is_somewhere),
            "a task is of a queue while it waits or is in flight");
    if (how_.by_flows && tasks_[task].on)
      require(it.attempt().seats == tasks_[task].seats,
              "a task takes as many seats as it is wide, and no more than all");
  }

  void check_flows() const {
    require(order_.seats() == all_seats(), "the order is told of all seats");
    require(order_.refusals() == books().refused,
            "the order is told of each refusal");
    std::uint64_t waiting = 0;
    std::uint64_t running = 0;
    for (const auto& row : order_.flows(tasks_.size() * 8)) {
      waiting += row.waiting;
      running += row.running;
    }
    auto in_flight =
      std::count_if(tasks_.begin(), tasks_.end(),
                    [](const task_life& life) { return life.on; });
    order_.choose(world_.now); // as its model does
    require(order_.describes_flows_as_model(),
            "the order describes flows as its model does");
    require(waiting == books().waiting - world_.pool.retries().delayed()
              && running == static_cast<std::uint64_t>(in_flight),
            "the flows have all tasks that wait or are in flight");
  }
};

} // namespace test
