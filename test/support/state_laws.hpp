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
    require(world_.pool.next_tick() == never, "in the end no tick is due");
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
    check_is_busy();
    check_seats();
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

  void check_reason(std::size_t task, errc why) const {
    if (why == errc::client_gone)
      require(tasks_[task].unwanted,
              "only a task that its client gave up is cancelled for that");
    else if (why == errc::deadline_exceeded)
      require(world_.tasks[task].deadline <= world_.now,
              "no task is cancelled before its deadline");
    else if (why == errc::time_limit)
      require(tasks_[task].begun
                && world_.now - world_.tasks[task].started
                     >= *how_.within.time_limit,
              "no task is cancelled before it has reached the time limit");
    else if (why == errc::hopeless)
      require(!tasks_[task].on && how_.within.drop_hopeless
                && world_.tasks[task].deadline != never,
              "only a task with a deadline that waits is hopeless");
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
  void check_books() const {
    require(books().balances(), "the books balance");
    auto tasks_in = [&](condition is) {
      return static_cast<std::uint64_t>(std::count_if(
        world_.tasks.begin(), world_.tasks.end(),
        [=](const libpool::task& task) { return task.is == is; }));
    };
    require(books().waiting == tasks_in(condition::waiting)
              && books().assigned == tasks_in(condition::assigned)
              && books().sent == tasks_in(condition::sent)
              && books().running == tasks_in(condition::running),
            "the books count the tasks in each condition");
    require(books().accepted == accepted_, "the books count accepted tasks");
    require(books().refused == number_of(outcome::refused)
              && books().completed == number_of(outcome::completed)
              && books().failed == number_of(outcome::failed)
              && books().cancelled == number_of(outcome::cancelled),
            "the books count each settlement by its outcome");
    require(world_.pool.tasks().overdue() == tasks_in(condition::overdue),
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
      require(is == condition::unknown && !is_linked(world_.tasks[task]),
              "a released task is forgotten");
    else if (!life.on)
      require(is == condition::waiting || is == condition::assigned,
              "a task in no mailbox waits");
    else if (!life.begun)
      require(is == condition::sent, "a task in a mailbox is sent");
    else
      require(is == (life.settled ? condition::overdue : condition::running),
              "a task that has begun runs");
    require(world_.tasks[task].follows == life.follows,
            "a task follows others until its turn comes");
    require((world_.tasks[task].on != nullptr)
              == (life.on || is == condition::assigned),
            "a task that waits, or is done, is of no worker");
    if (is_unsent(task))
      require(!abandoned_ || is == condition::assigned,
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
      require(task->on == &seen && task->is == condition::assigned,
              "a task in a deque is bound to that worker");
    for (const auto& task : seen.mailbox)
      require(task.on == &seen, "a task in a mailbox is of that worker");
    require(seen.hanging == life.hanging, "a worker hangs on overdue tasks");
    if (life.out || life.hanging > 0 || life.suspended)
      require(seen.deque.empty() && !seen.offered,
              "no task is bound to a worker that goes, hangs or is paused");
    if (life.pauses && how_.when == assignment::lazy)
      require(!seen.offered, "a worker that pauses is not asked for its turn");
    if (life.out && life.in_mailbox == 0)
      require(!life.known, "a worker that goes is dismissed when it is done");
    if (!life.known)
      require(seen.is == libpool::worker::condition::unknown
                && !is_linked(seen),
              "a worker that was dismissed is forgotten");
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
              == (how_.when == assignment::lazy && !how_.by_priority
                  && !how_.by_flows && (is_saturated || waits_for_pause)),
            "a pool without room is busy or awaits the workers that pause, if "
            "tasks are bound lazily, as they come");
  }

  // -- seats ------------------------------------------------------------------

  void check_seats() const {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const auto& seen = world_.workers[i];
      if (how_.when == assignment::lazy)
        require(seen.offered == has_room(i),
                "a worker that has room is offered, and no other");
      require(seen.seats_taken == (how_.by_flows ? seats_taken(i) : 0)
                && seen.seats_taken <= seen.seats,
              "the seats of a worker are taken by the tasks that it was sent");
    }
    require(!world_.pool.needs().limits_flows || how_.by_flows,
            "only flows are limited one by one");
    if (how_.by_flows)
      check_flows();
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
