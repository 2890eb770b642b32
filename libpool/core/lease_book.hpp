#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/given_leases.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease.hpp"
#include "libpool/core/lease_obstacles.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/waiting_lines.hpp"
#include "libpool/core/worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>
#include <utility>

namespace libpool {

/// Messages of a pool that wait without tasks, and leases: waiting messages
/// that go to a worker together with a task, so that the pool is told of their
/// ends together. Decides which messages wait, which worker gets a lease, how
/// many messages it has, and when they are taken back.
///
/// The size of a lease depends on the number of waiting messages and on the
/// recent service times: as many as take 50 microseconds, and at most half of
/// their line, unless the line is that of one worker. A message in a line that
/// workers share is not delayed by a lease that takes longer: an idle worker
/// takes over a part of the lease, unless limits of its flow forbid this, and
/// once the lease is a millisecond old, all messages left in it wait again when
/// any worker ends a task or a lease. Messages in the line of a worker stay
/// with this worker. A message that cannot follow others ends a lease. If each
/// priority has a line, messages in leases wait again when a task with a higher
/// priority waits, or when a worker would begin a task with a lower priority.
///
/// A message is in one place at a time: in a line, in a lease, or in a task
/// that the dispatcher knows. The head of a line has no message until it is
/// sent.
///
/// If the policy assigns messages to workers when they arrive, each worker has
/// a line. The policy learns of the ends in a lease when they are reported, so
/// it chooses workers as if the messages in leases whose ends were not reported
/// had not ended.
///
/// With deadlines, a lease has only messages whose deadlines are later than the
/// time after which the worker takes no further message. So no worker begins a
/// message after its deadline. A message in a line or a lease is cancelled at
/// its deadline if all messages have the same time, otherwise at most 100
/// nanoseconds later for each message that waits.
///
/// Source:  decision 0018, leases.
/// Cost:    O(1) for each message that is not taken back.
/// Threads: one at a time; workers share only their `lease`.
template <class Message>
class lease_book {
public:
  /// Line of waiting messages.
  using line = waiting_line<Message>;
  /// Waiting message.
  using message = waiting_message<Message>;
  /// Lease of a worker.
  using held_lease = booked_lease<Message>;
  /// Task that can stand for the messages of a line.
  using queued_task = line_task<Message>;

  /// Makes a book without messages. `of`: dispatcher of the pool, which may not
  /// exist yet. Leases are turned off.
  explicit lease_book(dispatcher& of) noexcept : dispatcher_(of) {
    // nop
  }

  lease_book(const lease_book&) = delete;
  lease_book& operator=(const lease_book&) = delete;

  ~lease_book() {
    given_.take_back_all();
  }

  /// Turns leases on if the policy allows them and no option needs each task.
  /// Leaves them off if messages have deadlines of their own and each flow or
  /// priority has a line: the head of a line could go with a message whose
  /// deadline has passed.
  /// `within`: limits on the waiting messages.
  /// @pre the dispatcher exists
  void begin(const lease_obstacles& against,
             const waiting_bounds& within = {}) {
    auto most = dispatcher_.may_go_on();
    auto has_mixed_lines = within.own_deadlines && dispatcher_.has_lines();
    if (against.any() || most <= duration{0} || has_mixed_lines)
      return;
    limits_ = within;
    longest_ = std::min(longest_, most);
    are_on_ = true;
    if (limits_.own_deadlines)
      given_.keep_deadlines();
    has_heads_ = dispatcher_.has_lines();
    goes_by_rank_ = has_heads_ && !dispatcher_.has_flows();
    goes_by_worker_ = dispatcher_.has_worker_lines();
  }

  /// Whether leases are turned on.
  bool are_on() const noexcept {
    return are_on_;
  }

  /// Whether each flow or each priority has a line, and one task in the
  /// dispatcher, the head, stands for its messages.
  bool has_heads() const noexcept {
    return has_heads_;
  }

  /// Whether each worker has a line for the messages that are assigned to it.
  bool goes_by_worker() const noexcept {
    return goes_by_worker_;
  }

  /// Stops giving leases. Messages that workers have not begun wait again.
  void close() {
    is_closed_ = true;
    round_ended();
    given_.take_back_all();
  }

  // -- messages that wait -----------------------------------------------------

  /// Messages for which no task was made yet.
  waiting_lines<Message>& waiting() noexcept {
    return waiting_;
  }

  /// Messages for which no task was made yet.
  const waiting_lines<Message>& waiting() const noexcept {
    return waiting_;
  }

  /// Whether a message that arrives now has to wait behind others, as far as
  /// the book knows. Otherwise it becomes a task at once.
  /// @pre `!goes_by_worker()`
  bool has_to_wait() const noexcept {
    if (!waiting_.empty())
      return true;
    return has_heads_ ? tasks_in_order() > 0 || dispatcher_.is_saturated()
                      : dispatcher_.is_busy_or_pauses();
  }

  /// Returns the line in which the message that `described` stands for has to
  /// wait; nullptr if it is the first of its line, and a task of its own can
  /// stand for the line.
  /// @pre `has_heads()`; `described` has the flow and the priority of the
  ///      message
  line* line_for(const task& described) {
    auto key = dispatcher_.line_of(described);
    auto* known = waiting_.find(key);
    if (known != nullptr || !dispatcher_.has_waiting(key))
      return known;
    auto& made = waiting_.of(key);
    made.flow = described.notes().flow;
    made.priority = described.notes().priority;
    return &made;
  }

  /// Lets the message wait in the line. `deadline` is used if messages have
  /// deadlines of their own.
  void wait_in(line& to, const Message& added, instant came,
               instant deadline = never) {
    waiting_.add(to, added, came, noted(deadline));
  }

  /// Lets the message that `described` stands for wait for the worker `to`.
  /// `came`: acceptance time.
  /// @pre `goes_by_worker()`; `dispatcher::line_for` has just returned the
  /// worker
  void line_up(worker& to, task& described, const Message& added,
               instant came) {
    auto data = dispatcher_.line_up(described, to, came);
    waiting_.add(waiting_.of(to), added, came, noted(described.deadline), data);
    tell_first(dispatcher_, waiting_.of(to));
  }

  /// Removes what the book has of the worker, which has left the pool.
  void forget(worker& gone) {
    if (goes_by_worker_)
      waiting_.forget(gone);
  }

  /// Whether the pool has to refuse the new message that `described` stands
  /// for: the maximum number of messages waits, and no worker can begin the new
  /// message at once. The count is exact: before returning true, calls
  /// `pool.tell_ends()`, which reports all ends in leases, and has the
  /// dispatcher send tasks. Returns false if leases are turned off, because the
  /// dispatcher counts then. `described` is used only if `has_heads()` or
  /// `goes_by_worker()` is true; nullptr: the message has to be refused.
  template <class Pool>
  bool is_full(task* described, Pool& pool) {
    constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
    if (limits_.capacity == unlimited || room() > 0)
      return false;
    pool.tell_ends();
    dispatch(pool);
    if (room() > 0)
      return false;
    return has_heads_ || goes_by_worker_
             ? described == nullptr
                 || !dispatcher_.could_be_sent(*described, pool.now())
             : has_to_wait();
  }

  /// Returns a lower bound of the number of further messages that can wait. The
  /// exact number is larger if workers have ended messages whose ends were not
  /// reported.
  std::size_t room() const noexcept {
    const auto& books = dispatcher_.books();
    auto waiting = books.waiting + books.assigned + unknown() - removed_.size();
    return limits_.capacity - std::min(waiting, limits_.capacity);
  }

  /// Returns the time at which `dispatch` must be called because the deadline
  /// of a waiting message may pass; `never` if messages have no deadlines, or
  /// none waits.
  ///
  /// Cost: O(1); with a deadline for all, O(lines) for the first call after no
  ///       message had waited, or after that time.
  instant next_tick() {
    if (!has_deadlines() || (waiting_.empty() && knows_all_deadlines()))
      return expires_at_ = never;
    if (expires_at_ == never && !limits_.own_deadlines)
      expires_at_ = later(oldest(), *limits_.deadline);
    return expires_at_;
  }

  /// Number of messages that the dispatcher does not know.
  std::size_t unknown() const noexcept {
    return waiting_.behind_heads() + given_.untold() + removed_.size();
  }

  /// Calls `f` with the flow, a pointer to the message and the acceptance time
  /// of each message that no worker has begun, and that the dispatcher does not
  /// know, until `f` returns false. The pointer is nullptr for a message in a
  /// lease, which the worker may take meanwhile.
  template <class F>
  void for_each_unbegun(F f) const;

  /// Calls `f` with a flow and a number of its messages that the dispatcher
  /// does not know, possibly several times for a flow.
  template <class F>
  void for_each_flow(F f) const;

  /// Returns what the book knows of flows, for `dispatcher::flows`: messages
  /// that the dispatcher does not know. Valid until the book changes.
  ///
  /// Cost: as if there were at most `most_compared_flows` lines; O(leases).
  flow_supplement of_flows();

  /// Number of messages that the dispatcher does not know, and whose flows are
  /// paused or have reached their limits.
  ///
  /// Cost: O(lines + leases).
  std::size_t parked(instant now) const;

  /// Calls `f` with a flow that is paused or has reached its limits, and with a
  /// number of its messages that the dispatcher does not know, possibly several
  /// times for a flow.
  ///
  /// Cost: O(lines + leases).
  template <class F>
  void for_each_parked(instant now, F f) const;

  /// Returns the acceptance time of the message that has waited for longest, in
  /// a line or in a lease; `never` if none waits.
  instant oldest() const;

  // -- tasks that go to workers -----------------------------------------------

  /// Cancels waiting messages whose deadlines have passed, as far as their
  /// deadlines are looked at now. Has the dispatcher send tasks, and makes
  /// tasks of waiting messages as long as workers have room. If workers share
  /// lines, a worker is idle, and no waiting message may go to the worker,
  /// takes back messages of leases that may go to it and were not begun. The
  /// caller takes back overdue leases first, and calls the function again after
  /// it has carried out the decisions, with which leases are filled.
  ///
  /// `pool` has these functions: `now()` returns the time. `has_workers()`
  /// returns whether any worker serves. `tell_ends()` reports all ends in
  /// leases, by `lease_book::tell_ends`. `submit(message)` makes a task of the
  /// waiting message, and submits the task. `task_of(line, message)` returns a
  /// new task for a message of the line, without calling functions of the user.
  /// `new_head(line)` returns a new task with the flow and the priority of the
  /// line.
  /// `become(task, message)` gives the message to the head of a line.
  ///
  /// Returns whether all messages were cancelled whose deadlines have passed.
  /// If not, no message was sent, and the function must be called again.
  template <class Pool>
  bool dispatch(Pool& pool) {
    // One time for all, also if functions of the user that `pool` calls take
    // long: no deadline may pass after `settle_before`.
    const instant now = pool.now();
    settle_before(now, pool);
    if (next_tick() <= now && !expire(pool, now))
      return false;
    if (has_heads_)
      dispatch_heads(pool, now);
    else if (goes_by_worker_)
      dispatch_by_worker(pool, now);
    else
      dispatch_all(pool, now);
    return !dispatcher_.has_due(now);
  }

  /// Limits the number of messages that one call of `dispatch` cancels because
  /// their deadlines have passed, if all have the same deadline. Default: no
  /// limit.
  void expire_at_most(std::size_t messages) noexcept {
    most_expired_ = messages;
  }

  /// If messages have deadlines and the dispatcher is to act at `time`, makes
  /// all messages that workers have not begun wait again, and calls
  /// `pool.tell_ends()`. From then on, the task of each worker stands for the
  /// message that the worker handles. To be called before
  /// `dispatcher_.ticked(time)`.
  template <class Pool>
  void settle_before(instant time, Pool& pool) {
    if (!has_deadlines() || dispatcher_.next_tick() > time)
      return;
    given_.take_back_all();
    pool.tell_ends();
  }

  /// Gives the dispatcher a head for each line that needs one and has none.
  template <class Pool>
  void enter_heads(Pool& pool) {
    while (auto* next = waiting_.next_without_head()) {
      queued_task& head = pool.new_head(*next);
      head.head_of = next;
      waiting_.set_head(*next, head);
      dispatcher_.accepted(head, pool.now(), next->messages.first_came());
    }
  }

  /// Gives the head of a line its first message.
  /// @pre `head.head_of` is set
  template <class Pool>
  void give_message(queued_task& head, Pool& pool) {
    auto first = waiting_.take_with_head(*std::exchange(head.head_of, nullptr));
    dispatcher_.stands_for(head, first.came, deadline_of(first));
    pool.become(head, first.content);
  }

  /// Makes tasks of messages in the lines of workers, at most `n`, and calls
  /// `f` with each task.
  template <class Pool, class F>
  void enter(std::size_t n, Pool& pool, F f) {
    waiting_.for_each([&](line& each) {
      for (; n > 0 && each.assigned_to != nullptr && !each.messages.empty();
           --n)
        f(enter_first(each, pool));
    });
  }

  /// Cancels the messages for which `f(line, waiting_message)` returns true,
  /// for the reason `why`, unless a worker has begun them or they are tasks.
  /// Before, makes all messages of leases that were not begun wait again, and
  /// calls `pool.tell_ends()`: the task of each worker stands for the message
  /// that the worker handles. Returns the number of these messages.
  ///
  /// Cost: O(n) for n messages in lines and leases.
  template <class Pool, class F>
  std::size_t cancel(errc why, Pool& pool, F f) {
    auto result = remove(why, pool, f);
    cancel_removed(removed_.size(), pool);
    return result;
  }

  /// Does the first part of `cancel`: removes the messages from their lines, so
  /// that no worker begins them. They count as waiting messages, but not for
  /// the capacity, until `cancel_removed` has cancelled them. Returns the
  /// number of these messages.
  ///
  /// Cost: O(n) for n messages in lines and leases.
  template <class Pool, class F>
  std::size_t remove(errc why, Pool& pool, F f);

  /// Whether messages have been removed and not yet cancelled.
  bool has_removed() const noexcept {
    return !removed_.empty();
  }

  /// Makes tasks of messages that were removed, and cancels the tasks. `most`:
  /// maximum number of tasks.
  template <class Pool>
  void cancel_removed(std::size_t most, Pool& pool);

  /// Removes all messages, and calls `f` with each of them. To be called before
  /// destruction only.
  template <class F>
  void clear(F f) {
    given_.take_back_all();
    waiting_.clear(f);
    for (auto& each : removed_)
      f(each.message.content);
    removed_.clear();
  }

  // -- leases -----------------------------------------------------------------

  /// Notes that the worker has ended a task in this round, in its own thread.
  /// The worker may get a lease until the round ends.
  void ended_here(const worker& by) noexcept {
    here_ = are_on_ && !is_closed_ ? &by : nullptr;
  }

  /// Notes the end of the round, after which no worker may get a lease.
  void round_ended() noexcept {
    here_ = nullptr;
  }

  /// Whether waiting messages may go to the worker together with a task.
  bool may_go_to(const worker& to) const noexcept {
    return here_ == &to && !waiting_.empty();
  }

  /// Leases that workers have.
  given_leases<Message>& leases() noexcept {
    return given_;
  }

  /// Leases that workers have.
  const given_leases<Message>& leases() const noexcept {
    return given_;
  }

  /// Returns the line whose messages are next after the task, which was just
  /// sent; nullptr if there are none, or if other tasks go before them.
  line* line_behind(const queued_task& sent) {
    auto* result = next_line(sent);
    return result == nullptr || result->messages.empty() ? nullptr : result;
  }

  /// Fills a lease with messages of the line `from`. Its first message was
  /// already taken, and is that of `sent`. `service` is the recent service
  /// time; zero means unknown and leaves the lease empty.
  /// @pre the worker does not have the lease
  void fill(held_lease& filled, const task& sent, line& from, duration service,
            instant now);

private:
  /// Number of waiting tasks that can go now, as far as their retries permit.
  std::size_t tasks_in_order() const noexcept {
    return dispatcher_.books().waiting - dispatcher_.delayed();
  }

  line* next_line(const queued_task& sent) {
    if (goes_by_worker_)
      return &waiting_.of(*sent.on);
    if (has_heads_)
      return sent.leads ? waiting_.find(dispatcher_.line_of(sent)) : nullptr;
    return tasks_in_order() == 0 ? &waiting_.all() : nullptr;
  }

  /// Whether the first message of the line goes before all tasks of its worker.
  bool first_is_next(const line& of) const noexcept {
    return of.assigned_to == nullptr
           || of.messages.first_assigned().number
                < dispatcher_.line_goes_until(*of.assigned_to);
  }

  /// Returns the task that goes to a worker next if lines are those of
  /// priorities and there are leases; otherwise nullptr.
  const task* next_by_rank(instant now) const noexcept {
    return goes_by_rank_ && given_.are_out() ? dispatcher_.next_waiting(now)
                                             : nullptr;
  }

  template <class Pool>
  void take_all_back_for(Pool& pool) {
    given_.take_back_all();
    enter_heads(pool);
  }

  /// Whether the dispatcher knows the deadlines of all messages that do not
  /// wait. With one deadline for all, the task of a lease is due before the
  /// other messages of the lease.
  bool knows_all_deadlines() const noexcept {
    return limits_.own_deadlines ? given_.untold() == 0 : !given_.are_out();
  }

  bool has_deadlines() const noexcept {
    return limits_.deadline || limits_.own_deadlines;
  }

  instant deadline_of(const message& waited) const noexcept {
    return limits_.own_deadlines ? waited.deadline
           : limits_.deadline    ? later(waited.came, *limits_.deadline)
                                 : never;
  }

  instant deadline_of_first(const line& of) const noexcept {
    return limits_.own_deadlines ? of.messages.first_deadline()
           : limits_.deadline
             ? later(of.messages.first_came(), *limits_.deadline)
             : never;
  }

  /// Notes the deadline that a new message has of its own, if messages have
  /// any.
  instant noted(instant deadline) noexcept {
    if (!limits_.own_deadlines)
      return never;
    expires_at_ = std::min(expires_at_, std::max(deadline, look_again_));
    return deadline;
  }

  template <class Pool>
  void dispatch_all(Pool& pool, instant now);
  template <class Pool>
  void dispatch_heads(Pool& pool, instant now);
  template <class Pool>
  void dispatch_by_worker(Pool& pool, instant now);
  template <class Pool>
  task* next_head(Pool& pool, instant now);
  template <class Pool>
  queued_task& enter_first(line& from, Pool& pool);
  template <class Pool>
  queued_task& enter(line& from, const message& waited,
                     const assigned_message& assigned, Pool& pool);
  template <class Pool>
  bool expire(Pool& pool, instant now);
  template <class Pool>
  void expire_each(Pool& pool, instant now);
  void take_back(held_lease& from, std::size_t n);
  void come_in(held_lease& from);

  /// A message that was removed from its line to be cancelled.
  struct removed_message {
    typename waiting_queue<Message>::removed_message message;
    line* from = nullptr;
    errc why{};
  };

  dispatcher& dispatcher_;
  bool are_on_ = false;
  bool has_heads_ = false;
  bool goes_by_rank_ = false; // lines are those of priorities
  bool goes_by_worker_ = false;
  bool is_closed_ = false;
  std::size_t most_expired_ = std::numeric_limits<std::size_t>::max();
  duration longest_ = lease_size::longest;
  waiting_bounds limits_;
  instant expires_at_ = never; // lower bound of waiting messages' deadlines
  instant look_again_ = instant::min(); // at all deadlines, at the earliest
  const worker* here_ = nullptr;
  waiting_lines<Message> waiting_;
  std::deque<removed_message> removed_;
  given_leases<Message> given_{dispatcher_, waiting_};
};

template <class Message>
template <class Pool>
void lease_book<Message>::dispatch_all(Pool& pool, instant now) {
  dispatcher_.dispatch(now);
  while (!dispatcher_.has_due(now) && !dispatcher_.is_busy_or_pauses()
         && pool.has_workers()
         && (!waiting_.empty() || (given_.are_out() && given_.share()))) {
    pool.submit(waiting_.take(waiting_.all()));
    dispatcher_.dispatch(now);
  }
}

/// One task at a time, since the next message of its line may be the next of
/// all messages.
template <class Message>
template <class Pool>
void lease_book<Message>::dispatch_heads(Pool& pool, instant now) {
  if (dispatcher_.next_tick() <= now)
    dispatcher_.ticked(now); // workers may have room again
  do {
    enter_heads(pool);
    while (auto* next = next_head(pool, now)) {
      auto& sent = static_cast<queued_task&>(*next);
      sent.leads = sent.head_of != nullptr; // and not if it has come back
      if (!sent.leads)
        continue;
      give_message(sent, pool);
      enter_heads(pool);
    }
  } while (dispatcher_.has_free_worker() && given_.share([&](const line& of) {
    return dispatcher_.lets_go(of.flow, now);
  }));
  const auto* next = next_by_rank(now);
  if (next != nullptr && next->rank > given_.lowest_rank())
    take_all_back_for(pool);
}

/// Sends the next task to a worker, and returns the task; nullptr if no task
/// can be sent.
template <class Message>
template <class Pool>
task* lease_book<Message>::next_head(Pool& pool, instant now) {
  const auto* next = dispatcher_.is_saturated() ? nullptr : next_by_rank(now);
  if (next != nullptr && next->rank < given_.highest_rank())
    take_all_back_for(pool);
  return dispatcher_.dispatch_next(now);
}

template <class Message>
template <class Pool>
void lease_book<Message>::dispatch_by_worker(Pool& pool, instant now) {
  if (dispatcher_.next_tick() <= now)
    dispatcher_.ticked(now); // workers may give up their lines
  do {
    while (auto* next = dispatcher_.next_line()) {
      if (!next->has_room)
        given_.take_back_all(); // the messages of the worker may go before them
      enter_first(waiting_.of(*next), pool);
    }
    dispatcher_.dispatch(now);
  } while (dispatcher_.next_line() != nullptr);
}

/// Makes a task of the first message of the line.
template <class Message>
template <class Pool>
line_task<Message>& lease_book<Message>::enter_first(line& from, Pool& pool) {
  auto assigned = from.assigned_to != nullptr ? from.messages.first_assigned()
                                              : assigned_message{};
  auto first = waiting_.take(from);
  auto& result = enter(from, first, assigned, pool);
  tell_first(dispatcher_, from); // the worker may give up its line until now
  return result;
}

/// Makes a task of the message, which was taken from the line.
template <class Message>
template <class Pool>
line_task<Message>&
lease_book<Message>::enter(line& from, const message& waited,
                           const assigned_message& assigned, Pool& pool) {
  queued_task& made = pool.task_of(from, waited);
  made.deadline = deadline_of(waited);
  if (from.assigned_to != nullptr)
    dispatcher_.left_line(made, *from.assigned_to, assigned, pool.now(),
                          waited.came);
  else
    dispatcher_.accepted(made, pool.now(), waited.came);
  return made;
}

template <class Message>
template <class Pool, class F>
std::size_t lease_book<Message>::remove(errc why, Pool& pool, F f) {
  given_.take_back_all();
  pool.tell_ends();
  std::size_t result = 0;
  waiting_.for_each([&](line& each) {
    auto is_meant = [&](const message& waiting) { return f(each, waiting); };
    if (each.head != nullptr && is_meant(each.messages.first())) {
      auto& head = static_cast<queued_task&>(*each.head);
      give_message(head, pool);
      dispatcher_.cancelled(head, why, pool.now());
      ++result;
    }
    auto keeps_first = each.head != nullptr;
    auto meant = waiting_.remove_if(each, [&](const message& waiting) {
      return !std::exchange(keeps_first, false) && is_meant(waiting);
    });
    tell_first(dispatcher_, each);
    for (const auto& removed : meant)
      removed_.push_back({removed, &each, why});
    each.leases += meant.size(); // the line is kept
    result += meant.size();
  });
  return result;
}

template <class Message>
template <class Pool>
void lease_book<Message>::cancel_removed(std::size_t most, Pool& pool) {
  for (; most > 0 && !removed_.empty(); --most) {
    const auto next = removed_.front();
    removed_.pop_front();
    auto& made = enter(*next.from, next.message, next.message.assigned, pool);
    dispatcher_.cancelled(made, next.why, pool.now());
    waiting_.lease_ended(*next.from);
  }
}

/// Cancels waiting messages whose deadlines have passed. The head of a line
/// gets the first message of the line, and is cancelled with this message.
template <class Message>
template <class Pool>
bool lease_book<Message>::expire(Pool& pool, instant now) {
  if (limits_.own_deadlines) {
    expire_each(pool, now);
    return true;
  }
  auto is_over = [&](const line& of) {
    return !of.messages.empty() && deadline_of_first(of) <= now;
  };
  auto left = most_expired_;
  expires_at_ = never;
  given_.take_back_all();
  waiting_.for_each([&](line& each) {
    for (; is_over(each) && left > 0; --left) {
      auto* head = static_cast<queued_task*>(each.head);
      if (head != nullptr)
        give_message(*head, pool);
      else
        head = &enter_first(each, pool);
      dispatcher_.cancelled(*head, errc::deadline_exceeded, now);
    }
  });
  if (left > 0)
    return true;
  expires_at_ = now;
  if (has_heads_)
    enter_heads(pool); // and forgets empty lines
  return false;
}

/// Looks at all messages, and not again before a time that is long for that.
template <class Message>
template <class Pool>
void lease_book<Message>::expire_each(Pool& pool, instant now) {
  cancel(errc::deadline_exceeded, pool, [&](const line&, const message& each) {
    return each.deadline <= now;
  });
  auto next = never;
  waiting_.for_each([&](const line& each) {
    next = std::min(next, each.messages.earliest_deadline());
  });
  constexpr auto per_message = std::chrono::nanoseconds{100};
  auto all = static_cast<duration::rep>(waiting_.size());
  look_again_ = later(now, all * per_message);
  expires_at_ = std::max(next, look_again_);
}

template <class Message>
void lease_book<Message>::fill(held_lease& filled, const task& sent, line& from,
                               duration service, instant now) {
  auto ends_by = later(now, longest_);
  filled.begin(sent.accepted, now, ends_by);
  auto waiting = from.messages.size() + 1; // and the task
  auto is_shared = from.assigned_to == nullptr;
  const auto has_deadlines = this->has_deadlines();
  auto size = lease_size::of(is_shared ? waiting : 2 * waiting, service,
                             longest_);
  while (filled.size() < size && !from.messages.empty()
         && from.messages.first_follows() && first_is_next(from)) {
    auto deadline = has_deadlines ? deadline_of_first(from) : never;
    if (deadline <= ends_by)
      break;
    if (!is_shared)
      filled.assign_next(from.messages.first_assigned());
    auto next = waiting_.take(from);
    filled.add({next.content, next.place}, next.came, deadline);
  }
  if (filled.left() == 0)
    return;
  tell_first(dispatcher_, from);
  given_.add(filled, from, sent.rank);
}

template <class Message>
template <class F>
void lease_book<Message>::for_each_unbegun(F f) const {
  given_.for_each_untold([&](const held_lease& each) {
    each.for_each_left([&](const Message&, instant came) {
      return f(each.from->flow, nullptr, came);
    });
  });
  waiting_.for_each([&](const line& each) {
    auto is_task = each.head != nullptr; // stands for the first message
    each.messages.for_each([&](const Message& next, instant came) {
      return std::exchange(is_task, false) || f(each.flow, &next, came);
    });
  });
}

template <class Message>
template <class F>
void lease_book<Message>::for_each_flow(F f) const {
  waiting_.for_each([&](const line& each) {
    f(each.flow, each.messages.size() - (each.head != nullptr ? 1 : 0));
  });
  given_.for_each_untold([&](const held_lease& each) {
    if (each.from != nullptr)
      f(each.from->flow, each.unknown());
  });
}

template <class Message>
flow_supplement lease_book<Message>::of_flows() {
  flow_supplement result;
  if (!has_heads_)
    return result;
  std::unordered_map<std::uint64_t, std::size_t> leased;
  given_.for_each_untold([&](const held_lease& each) {
    if (each.from != nullptr)
      leased[each.from->flow.hash()] += each.unknown();
  });
  for (const auto& each : leased)
    result.also.push_back(each.first);
  waiting_.for_each_longest(most_compared_flows, [&](const line& each) {
    result.also.push_back(each.flow.hash());
  });
  result.complete = [this, leased = std::move(leased)](std::uint64_t flow,
                                                       flow_stats& row) {
    if (const auto* of = waiting_.find(flow))
      row.waiting += of->messages.size() - (of->head != nullptr ? 1 : 0);
    if (auto i = leased.find(flow); i != leased.end())
      row.waiting += i->second;
  };
  return result;
}

template <class Message>
std::size_t lease_book<Message>::parked(instant now) const {
  std::size_t result = 0;
  for_each_parked(now, [&](const flow_key&, std::size_t n) { result += n; });
  return result;
}

template <class Message>
template <class F>
void lease_book<Message>::for_each_parked(instant now, F f) const {
  const auto& gates = dispatcher_.gates();
  if (has_heads_ && gates.is_on())
    for_each_flow([&](const flow_key& flow, std::size_t unknown) {
      if (unknown > 0 && !gates.is_open(flow, now))
        f(flow, unknown);
    });
}

template <class Message>
instant lease_book<Message>::oldest() const {
  auto result = never;
  waiting_.for_each([&](const line& each) {
    if (!each.messages.empty())
      result = std::min(result, each.messages.first_came());
  });
  given_.for_each_untold([&](const held_lease& each) {
    each.for_each_left([&](const Message&, instant came) {
      result = std::min(result, came);
      return false;
    });
  });
  return result;
}

} // namespace libpool
