#include "support/dispatcher_witness.hpp"

#include <algorithm>

using libpool::assignment;
using libpool::errc;
using libpool::outcome;
using libpool::task;
using libpool::worker;

namespace test {

namespace {

bool is_linked(const task& task) {
  return task.place_hook.is_linked() || task.age_hook.is_linked()
         || task.due_hook.is_linked() || task.list_hook.is_linked();
}

bool is_linked(const worker& worker) {
  return worker.placement_hook.is_linked() || worker.rest_hook.is_linked()
         || worker.ready_hook.is_linked() || worker.idle
         || worker.member_hook.is_linked() || worker.room_hook.is_linked();
}

} // namespace

// -- what holds after every fact ----------------------------------------------

void dispatcher_witness::check() const {
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
}

void dispatcher_witness::check_books() const {
  require(books().balances(), "the books balance");
  auto tasks_in = [&](task::condition which) {
    return static_cast<std::uint64_t>(
      std::count_if(world_.tasks.begin(), world_.tasks.end(),
                    [=](const task& task) { return task.is == which; }));
  };
  require(books().waiting == tasks_in(task::condition::waiting)
            && books().assigned == tasks_in(task::condition::assigned)
            && books().sent == tasks_in(task::condition::sent)
            && books().running == tasks_in(task::condition::running),
          "the books count the tasks in each condition");
  require(books().accepted == accepted_, "the books count what is accepted");
  require(books().refused == number_of(outcome::refused)
            && books().completed == number_of(outcome::completed)
            && books().failed == number_of(outcome::failed)
            && books().cancelled == number_of(outcome::cancelled),
          "the books count each settlement by its outcome");
}

bool dispatcher_witness::is_unsent(std::size_t task) const {
  return tasks_[task].known && !tasks_[task].on;
}

void dispatcher_witness::check_task(std::size_t task) const {
  const auto& life = tasks_[task];
  auto is = world_.tasks[task].is;
  if (!life.known)
    require(is == task::condition::unknown && !is_linked(world_.tasks[task]),
            "what is released is forgotten");
  else if (!life.on)
    require(is == task::condition::waiting || is == task::condition::assigned,
            "what is in no mailbox waits");
  else if (!life.begun)
    require(is == task::condition::sent, "what is in a mailbox is sent");
  else
    require(
      is
        == (life.settled ? task::condition::overdue : task::condition::running),
      "what has begun runs");
  require((world_.tasks[task].on != nullptr)
            == (life.on || is == task::condition::assigned),
          "what waits, or is done, is of no worker");
  if (is_unsent(task))
    require(!abandoned_ || is == task::condition::assigned,
            "nothing waits in an abandoned pool");
  if (life.on && !life.begun && workers_[*life.on].known
      && !workers_[*life.on].dead
      && (workers_[*life.on].out || workers_[*life.on].hanging > 0))
    require(life.recalled, "what sits with a worker that goes, or hangs, is "
                           "recalled");
}

void dispatcher_witness::check_worker(std::size_t task) const {
  const auto& life = workers_[task];
  const auto& seen = world_.workers[task];
  require(seen.in_mailbox == life.in_mailbox
            && seen.mailbox.size() == life.in_mailbox,
          "a worker's mailbox has what was sent and has not ended");
  require(seen.in_flight == seen.in_mailbox + seen.deque.size(),
          "in flight is what is in the deque or in the mailbox");
  for (const auto& what : seen.deque)
    require(what.on == &seen && what.is == task::condition::assigned,
            "what is in a deque is bound to that worker");
  for (const auto& what : seen.mailbox)
    require(what.on == &seen, "what is in a mailbox is of that worker");
  require(seen.hanging == life.hanging, "a worker hangs on what is overdue");
  if (life.out || life.hanging > 0)
    require(seen.deque.empty() && !seen.offered,
            "nothing is bound to a worker that goes, or hangs");
  if (life.pauses && how_.when == assignment::lazy)
    require(!seen.offered, "a worker that pauses is not asked for its turn");
  if (life.out && life.in_mailbox == 0)
    require(!life.known, "a worker that goes is dismissed when it is done");
  if (!life.known)
    require(seen.is == worker::condition::unknown && !is_linked(seen),
            "a worker that was dismissed is forgotten");
}

void dispatcher_witness::check_reason(std::size_t task, errc why) const {
  if (why == errc::client_gone)
    require(tasks_[task].unwanted, "only what nobody wants is cancelled");
  else if (why == errc::deadline_exceeded)
    require(world_.tasks[task].deadline <= world_.now,
            "nothing is cancelled before its deadline");
  else
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      require(i == task || !is_unsent(i)
                || world_.tasks[i].number >= world_.tasks[task].number,
              "only the oldest is dropped");
}

void dispatcher_witness::check_next_tick() const {
  auto next = world_.pool.next_tick();
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i].known && !tasks_[i].settled
        && world_.tasks[i].deadline > told_time_)
      require(next <= world_.tasks[i].deadline, "no deadline is passed over");
  for (const auto& who : world_.workers)
    if (who.rest_hook.is_linked())
      require(next <= who.rests_until, "no end of a rest is passed over");
}

void dispatcher_witness::check_is_busy() const {
  auto somebody_has_room = false;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    somebody_has_room = somebody_has_room || has_room(i);
  auto is_under_way =
    std::any_of(tasks_.begin(), tasks_.end(),
                [](const task_life& life) { return life.on && !life.settled; });
  auto is_saturated = how_.when == assignment::lazy && !somebody_has_room
                      && is_under_way;
  require(world_.pool.is_saturated() == is_saturated,
          "a pool is saturated while nobody has room and something is to end");
  require(world_.pool.is_busy()
            == (is_saturated && !how_.by_priority && !how_.by_flows),
          "a saturated pool is busy if tasks go as they come");
}

void dispatcher_witness::check_the_end() const {
  require(books().open() == 0, "in the end nothing is open");
  require(world_.pool.next_tick() == libpool::never,
          "in the end no tick is due");
  for (const auto& life : tasks_)
    require(!life.known, "in the end every task is released");
  for (const auto& life : workers_)
    require(!life.known, "in the end every worker is dismissed");
  for (const auto& where : world_.restrictions)
    require(where.held.empty(), "in the end nothing waits for anybody");
  for (const auto& worker : world_.workers)
    require(worker.booked == nullptr,
            "in the end no record of a worker is left");
  require(order_.is_empty(), "in the end the order has nothing");
  require(order_.choose(world_.now) == nullptr,
          "in the end the order chooses nothing");
}

} // namespace test
