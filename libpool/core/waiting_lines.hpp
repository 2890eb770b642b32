#pragma once

#include "libpool/core/assigned_message.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/line_levels.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/container/deque.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

/// A waiting message of which no task was made yet. `Message` is what the owner
/// of the message keeps of it.
template <class Message>
struct waiting_message {
  /// The message.
  Message content;
  /// Acceptance time.
  instant came;
  /// Position among all messages that ever waited in the line.
  std::uint64_t place = 0;
  /// Deadline of its own; `never`: none.
  instant deadline = never;
};

/// Messages that wait, first come, first served. A message that is put back
/// returns to its former position. The queue owns nothing: who takes a message
/// owns it.
///
/// Load: an empty queue allocates nothing.
/// Cost: O(1) to add and to take; O(log n) while n messages that were put back
///       wait.
template <class Message>
class waiting_queue {
  static_assert(std::is_trivially_copyable_v<Message>);

public:
  waiting_queue() = default;
  waiting_queue(const waiting_queue&) = delete;
  waiting_queue& operator=(const waiting_queue&) = delete;
  ~waiting_queue() = default;

  /// Whether no message waits.
  bool empty() const noexcept {
    return new_.empty() && returned_.empty();
  }

  /// Number of waiting messages.
  std::size_t size() const noexcept {
    return new_.size() + returned_.size();
  }

  /// Adds a message that arrives at `now`, with a deadline of its own if
  /// `deadline` is not `never`.
  void add(const Message& added, instant now, instant deadline = never) {
    if (needs_deadlines(deadline))
      deadlines_.push_back(deadline);
    add_times(1, now);
    new_.push_back(added);
  }

  /// Adds the `n` messages that `next` returns, at least one.
  template <class Next>
  void add(std::size_t n, instant now, Next next) {
    add_times(n, now);
    for (std::size_t i = 0; i < n; ++i)
      new_.push_back(next());
    if (has_deadlines_)
      deadlines_.resize(new_.size(), never);
  }

  /// Adds a message that is assigned to a worker and arrives at `now`.
  /// @pre all messages of the queue are assigned to this worker
  void add(const Message& added, instant now, instant deadline,
           const assigned_message& to) {
    add(added, now, deadline);
    assigned_.push_back(to);
  }

  /// Puts a message that was taken, and is assigned to a worker, before all
  /// others. Its place is not used.
  void put_first(const waiting_message<Message>& returned,
                 const assigned_message& to) {
    if (needs_deadlines(returned.deadline))
      deadlines_.push_front(returned.deadline);
    if (times_.empty() || times_.front().came != returned.came)
      times_.push_front({returned.came, 0});
    ++times_.front().count;
    new_.push_front(returned.content);
    assigned_.push_front(to);
  }

  /// Returns the assignment data of the first message.
  /// @pre not empty; the messages are assigned to a worker
  const assigned_message& first_assigned() const noexcept {
    return assigned_.front();
  }

  /// Puts a message that was taken to its former position.
  void put_back(waiting_message<Message> message) {
    returned_.push_back(std::move(message));
    std::push_heap(returned_.begin(), returned_.end(), goes_after{});
  }

  /// Whether the first message can follow another one in a lease. A message
  /// that was put back has followed one before.
  /// @pre not empty
  bool first_follows() const noexcept {
    return !returned_.empty() || new_.front().follows_others();
  }

  /// Returns the acceptance time of the first message.
  /// @pre not empty
  instant first_came() const noexcept {
    return returned_.empty() ? times_.front().came : returned_.front().came;
  }

  /// Returns the deadline that the first message has of its own.
  /// @pre not empty
  instant first_deadline() const noexcept {
    return !returned_.empty() ? returned_.front().deadline
           : has_deadlines_   ? deadlines_.front()
                              : never;
  }

  /// Returns the earliest deadline that a message has of its own; `never` if
  /// none has one.
  ///
  /// Cost: O(n) for n waiting messages.
  instant earliest_deadline() const noexcept {
    auto result = never;
    for (const auto& each : returned_)
      result = std::min(result, each.deadline);
    for (auto each : deadlines_)
      result = std::min(result, each);
    return result;
  }

  /// Calls `f` with each message and its acceptance time, until `f` returns
  /// false.
  template <class F>
  void for_each(F f) const {
    for (const auto& each : returned_)
      if (!f(each.content, each.came))
        return;
    auto next = new_.begin();
    for (const auto& each : times_)
      for (std::size_t i = 0; i < each.count; ++i, ++next)
        if (!f(*next, each.came))
          return;
  }

  /// Removes and returns the first message.
  /// @pre not empty
  waiting_message<Message> take() noexcept {
    return returned_.empty() ? take_new() : take_returned();
  }

  /// Returns the first message, which stays.
  /// @pre not empty
  waiting_message<Message> first() const noexcept {
    return returned_.empty()
             ? waiting_message<Message>{new_.front(), first_came(), taken_ + 1,
                                        first_deadline()}
             : returned_.front();
  }

  /// A message that was removed, and the data of its assignment.
  struct removed_message : waiting_message<Message> {
    /// Data of the assignment, if the messages are assigned to a worker.
    assigned_message assigned = {};
  };

  /// Removes and returns the messages for which `f` returns true.
  ///
  /// Cost: O(n) for n waiting messages.
  template <class F>
  std::vector<removed_message> remove_if(F f) {
    std::vector<removed_message> result;
    auto stays = [&f](const waiting_message<Message>& each) {
      return !f(each);
    };
    auto end = std::stable_partition(returned_.begin(), returned_.end(), stays);
    for (auto i = end; i != returned_.end(); ++i)
      result.push_back({*i});
    returned_.erase(end, returned_.end());
    std::make_heap(returned_.begin(), returned_.end(), goes_after{});
    for (auto left = new_.size(); left > 0; --left) { // each goes to the back
      auto assigned = assigned_.empty() ? assigned_message{}
                                        : assigned_.front();
      auto has_worker = !assigned_.empty();
      auto next = take_new();
      if (f(next))
        result.push_back({next, assigned});
      else if (has_worker)
        add(next.content, next.came, next.deadline, assigned);
      else
        add(next.content, next.came, next.deadline);
    }
    return result;
  }

private:
  struct arrival {
    instant came;
    std::size_t count = 0;
  };

  struct goes_after {
    bool operator()(const waiting_message<Message>& x,
                    const waiting_message<Message>& y) const noexcept {
      return x.place > y.place;
    }
  };

  void add_times(std::size_t n, instant now) {
    if (!times_.empty()) {
      auto last = std::prev(times_.end()); // `back` would divide
      if (last->came == now) {
        last->count += n;
        return;
      }
    }
    times_.push_back({now, n});
  }

  /// Whether a message with that deadline needs an entry in `deadlines_`. If
  /// so, all messages of `new_` have one.
  bool needs_deadlines(instant deadline) {
    if (!has_deadlines_ && deadline != never) {
      deadlines_.resize(new_.size(), never);
      has_deadlines_ = true;
    }
    return has_deadlines_;
  }

  waiting_message<Message> take_new() noexcept {
    auto taken = new_.front();
    new_.pop_front();
    auto deadline = never;
    if (has_deadlines_) {
      deadline = deadlines_.front();
      deadlines_.pop_front();
    }
    auto came = times_.front().came;
    if (--times_.front().count == 0)
      times_.pop_front();
    if (!assigned_.empty())
      assigned_.pop_front();
    return {taken, came, ++taken_, deadline};
  }

  /// Messages that were put back have lower positions than all others.
  waiting_message<Message> take_returned() noexcept {
    std::pop_heap(returned_.begin(), returned_.end(), goes_after{});
    auto result = returned_.back();
    returned_.pop_back();
    return result;
  }

  boost::container::deque<Message> new_; // never taken, or put first
  std::uint64_t taken_ = 0;              // messages taken out of `new_`
  bool has_deadlines_ = false; // whether any message has ever had its own
  boost::container::deque<instant> deadlines_; // if so, one for each of `new_`
  boost::container::deque<arrival> times_;
  boost::container::deque<assigned_message> assigned_; // in a worker's line
  std::vector<waiting_message<Message>> returned_;     // a heap
};

/// Waiting messages with the same turn. Depending on the policy, a line has the
/// messages of one flow, of one priority or for one worker, or all messages.
template <class Message>
struct waiting_line : worker_line, line_level {
  /// Message of the line.
  using message = waiting_message<Message>;

  /// Key of the line (`dispatcher::line_of`), if the order has lines.
  std::uint64_t key = 0;
  /// Flow of the messages, if the order has flows.
  flow_key flow;
  /// Priority of the messages, if the order has priorities.
  std::int64_t priority = 0;
  /// Worker that the messages are assigned to, if workers have lines.
  worker* assigned_to = nullptr;
  /// The messages, in the order in which they go.
  waiting_queue<Message> messages;
  /// A task without a message that waits in the dispatcher for the messages of
  /// the line. It gets the first message when it goes to a worker. nullptr if
  /// the order has no lines.
  task* head = nullptr;
  /// Number of workers with messages of the line that may come back.
  std::size_t leases = 0;
  /// Whether the line is among the lines that may need a head.
  bool is_looked_at = false;
};

/// A task that can stand for the messages of a line.
template <class Message>
struct line_task : task {
  /// The line whose head the task is. The task gets the line's first message
  /// when it goes to a worker; nullptr if it is not a head.
  waiting_line<Message>* head_of = nullptr;
  /// Whether the task has the first message of its line, so that further
  /// messages can follow in a lease.
  bool leads = false;
};

/// Messages of a pool for which no task was made. If the order has lines, each
/// flow or priority with messages has a line. If messages are assigned to
/// workers when they arrive, each worker has a line.
///
/// `Message` is trivially copyable. `Message::follows_others` says whether a
/// worker can get the message together with earlier ones.
///
/// Cost:    O(1) to add and to take, as in `waiting_queue`.
/// Threads: one at a time.
template <class Message>
class waiting_lines {
public:
  /// Line of waiting messages.
  using line = waiting_line<Message>;
  /// Waiting message.
  using message = waiting_message<Message>;

  waiting_lines() = default;
  waiting_lines(const waiting_lines&) = delete;
  waiting_lines& operator=(const waiting_lines&) = delete;
  ~waiting_lines() = default;

  /// Whether no message waits.
  bool empty() const noexcept {
    return size_ == 0;
  }

  /// Number of messages in all lines.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Number of messages in all lines, without one for each head.
  std::size_t behind_heads() const noexcept {
    return size_ - heads_;
  }

  /// The line of all messages, if neither the order nor workers have lines.
  line& all() noexcept {
    return all_;
  }

  /// The line of all messages, if neither the order nor workers have lines.
  const line& all() const noexcept {
    return all_;
  }

  /// Returns the line of a flow or priority with that key. Makes the line if
  /// there is none; the caller then sets its flow and priority. Valid while the
  /// line is in use.
  line& of(std::uint64_t key);

  /// Returns the line of the worker. Valid until `forget` is called for it.
  line& of(worker& worker) {
    if (worker.line == nullptr) {
      auto& made = lines_[static_cast<std::uint64_t>(worker.number)];
      made.assigned_to = &worker;
      worker.line = &made;
    }
    return static_cast<line&>(*worker.line);
  }

  /// Removes the line of the worker, which has left the pool.
  /// @pre workers have lines; no message waits for the worker
  void forget(worker& worker) {
    worker.line = nullptr;
    lines_.erase(static_cast<std::uint64_t>(worker.number));
  }

  /// Returns the line with that key; nullptr if there is none.
  line* find(std::uint64_t key) noexcept {
    auto i = lines_.find(key);
    return i == lines_.end() ? nullptr : &i->second;
  }

  /// Calls `f` with the longest lines of flows or priorities, see
  /// `line_levels::for_each_longest`.
  template <class F>
  void for_each_longest(std::size_t most, F f) {
    levels_.for_each_longest<line>(
      most, [](const line& each) { return each.messages.size(); }, f);
  }

  // -- messages that come and go ----------------------------------------------

  /// Adds a message that arrives at `now`, with a deadline of its own if
  /// `deadline` is not `never`.
  void add(line& to, const Message& added, instant now,
           instant deadline = never) {
    to.messages.add(added, now, deadline);
    ++size_;
    look_at(to);
  }

  /// Adds a message that is assigned to the worker of the line, and arrives at
  /// `now`.
  void add(line& to, const Message& added, instant now, instant deadline,
           const assigned_message& assigned) {
    to.messages.add(added, now, deadline, assigned);
    ++size_;
  }

  /// Adds the `n` messages that `next` returns.
  template <class Next>
  void add(line& to, std::size_t n, instant now, Next next) {
    to.messages.add(n, now, std::move(next));
    size_ += n;
    look_at(to);
  }

  /// Puts a message that was taken back to its former position.
  void put_back(line& to, message returned) {
    to.messages.put_back(std::move(returned));
    ++size_;
    look_at(to);
  }

  /// Puts a message that was taken, and is assigned to the worker of the line,
  /// before all others.
  void put_first(line& to, const message& returned,
                 const assigned_message& assigned) {
    to.messages.put_first(returned, assigned);
    ++size_;
  }

  /// Removes and returns the first message.
  /// @pre the line is not empty
  message take(line& from) noexcept {
    --size_;
    return from.messages.take();
  }

  /// Removes and returns the messages for which `f` returns true. If the line
  /// has a head, `f` must return false for the first message.
  template <class F>
  auto remove_if(line& from, F f) {
    auto result = from.messages.remove_if(std::move(f));
    size_ -= result.size();
    return result;
  }

  // -- lines with heads -------------------------------------------------------

  /// Makes the task, which waits in the dispatcher, the head of the line.
  /// @pre the line has messages, and no head
  void set_head(line& of, task& head) noexcept {
    of.head = &head;
    ++heads_;
  }

  /// Removes the head and the first message, and returns the message. The head
  /// goes to a worker with the message, or is settled with it.
  /// @pre the line has a head
  message take_with_head(line& from) {
    from.head = nullptr;
    --heads_;
    look_at(from);
    return take(from);
  }

  /// Returns a line with messages and without a head; nullptr if there is none.
  line* next_without_head();

  /// Notes that one worker fewer has messages of the line.
  void lease_ended(line& of) {
    --of.leases;
    look_at(of);
  }

  /// Removes all messages, and calls `f` with each of them. Heads stay: to be
  /// called before destruction only.
  template <class F>
  void clear(F f) {
    auto clear_line = [&](line& each) {
      while (!each.messages.empty())
        f(take(each).content);
    };
    clear_line(all_);
    for (auto& each : lines_)
      clear_line(each.second);
  }

  /// Calls `f` for each line.
  template <class F>
  void for_each(F f) const {
    f(all_);
    for (const auto& each : lines_)
      f(each.second);
  }

  /// Calls `f` for each line. `f` may take messages, but must not add any.
  template <class F>
  void for_each(F f) {
    f(all_);
    for (auto& each : lines_)
      f(each.second);
  }

private:
  using lines = std::unordered_map<std::uint64_t, line>;

  void look_at(line& changed) {
    auto has_heads = &changed != &all_ && changed.assigned_to == nullptr;
    if (has_heads)
      levels_.grew(changed, changed.messages.size());
    if (has_heads && changed.head == nullptr && !changed.is_looked_at) {
      changed.is_looked_at = true;
      looked_at_.push_back(&changed);
    }
  }

  void forget(line& unused);

  line_levels levels_; // destroyed after the lines
  line all_;
  lines lines_; // by key, or number of the worker
  std::vector<typename lines::node_type> spare_; // unused
  std::vector<line*> looked_at_;
  std::size_t size_ = 0;
  std::size_t heads_ = 0;
};

template <class Message>
waiting_line<Message>& waiting_lines<Message>::of(std::uint64_t key) {
  if (auto* known = find(key))
    return *known;
  if (spare_.empty()) {
    auto& made = lines_[key];
    made.key = key;
    return made;
  }
  auto node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = node.mapped().key = key;
  return lines_.insert(std::move(node)).position->second;
}

template <class Message>
waiting_line<Message>* waiting_lines<Message>::next_without_head() {
  while (!looked_at_.empty()) {
    auto& next = *looked_at_.back();
    looked_at_.pop_back();
    next.is_looked_at = false;
    if (!next.messages.empty())
      return &next;
    if (next.leases == 0)
      forget(next);
  }
  return nullptr;
}

/// No message of the line waits, or may come back.
template <class Message>
void waiting_lines<Message>::forget(line& unused) {
  constexpr std::size_t most_spare = 1024;
  auto node = lines_.extract(unused.key);
  node.mapped().forget_level();
  if (spare_.size() < most_spare)
    spare_.push_back(std::move(node));
}

} // namespace libpool
